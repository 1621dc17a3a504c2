import { execFileSync } from "node:child_process";

export default function (eleventyConfig) {
  eleventyConfig.on("eleventy.after", ({ directories, runMode }) => {
    if (runMode === "build") execFileSync("imgbake", [directories.output], { stdio: "inherit" });
  });
}
