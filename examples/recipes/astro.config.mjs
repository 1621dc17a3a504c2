import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { defineConfig } from "astro/config";

const imgbake = {
  name: "imgbake",
  hooks: {
    "astro:build:done": ({ dir }) => {
      execFileSync("imgbake", [fileURLToPath(dir)], { stdio: "inherit" });
    },
  },
};

export default defineConfig({ integrations: [imgbake] });
