// Fills the tables.
//
// The rows of images are made in portions, when the end of the table comes into view, so that ten
// thousand images cost no more at the start than a hundred. Text is set as text, never as HTML.
"use strict";
const $ = (id) => document.getElementById(id);
const content = JSON.parse($("data").textContent);
const rows = content.images;
const portion = 100, mostOnPaper = 1000;
const body = $("table").tBodies[0];
let shown = rows, made = 0, key = "before", direction = -1;

for (const row of rows) {
  if (row.source) {
    const { source, variants } = row;
    row.before = source.bytes;
    row.after = variants.reduce((sum, variant) => sum + variant.bytes, 0);
    row.saved = row.before - row.after;
    // A feed gets another format than the pages, and a page may get several widths.
    const formats = [...new Set(variants.map((variant) => variant.format))].join(", ");
    const files = variants.length > 1 ? ` (${variants.length} files)` : "";
    row.formats = `${source.format} → ${formats}${files}`;
    row.pixels = (source.width ?? 0) * (source.height ?? 0);
    if (source.width > 0) row.size = `${source.width} × ${source.height}`;
    row.files = variants.map((variant) => {
      const size = variant.width ? `${variant.width} × ${variant.height}, ` : "";
      return `${variant.file} (${size}${bytes(variant.bytes)})`;
    });
  }
  row.text = [row.url, row.failure, ...row.places, ...(row.files ?? [])].join("\n").toLowerCase();
}

function bytes(count) {
  if (count < 1000) return `${count} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let unit = -1;
  do { count /= 1000; unit += 1; } while (count >= 999.95 && unit < 3);
  return `${count.toFixed(1)} ${units[unit]}`;
}
const number = (count) => count.toLocaleString("en-US");
const time = (seconds) =>
  seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
// Without characters that control a terminal or break the line.
const printable = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD");

// Shows a section with a table; a heading that begins with "#" is that of numbers.
function show(id, headings, lines, count = lines.length) {
  $(id).hidden = false;
  if (!lines.length) return;
  const cells = (kind, texts) => element("tr", {}, ...texts.map((text, index) =>
    element(kind, { className: headings[index].startsWith("#") ? "number" : "" }, text)));
  const head = cells("th", headings.map((heading) => heading.replace("#", "")));
  for (const cell of head.children) cell.scope = "col";
  const scroll = element("div", { className: "scroll", tabIndex: 0 }, element("table", {},
    element("thead", {}, head),
    element("tbody", {}, ...lines.map((texts) => cells("td", texts.map(printable))))));
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", `Table of ${$(`${id}-title`).textContent.toLowerCase()}`);
  $(id).append(scroll);
  if (count > lines.length) {
    $(id).append(element("p", {}, `and ${number(count - lines.length)} more`));
  }
}
function placeText(place) {
  return place ? [place.document, place.line, place.column].filter(Boolean).join(":") : "";
}
function showSections() {
  const { failures, pages, messages } = content;
  show("failures", ["Host", "#Images", "Reason", "Code"],
    failures.map(({ host, images, reason, code }) => [host, number(images), reason, code]));
  if (!failures.length) $("failures").append(element("p", {}, "No image failed."));
  show("pages", ["Document", "#Images", "#Before", "#After"],
    pages.map((page) =>
      [page.document, number(page.images), bytes(page.before), bytes(page.after)]),
    content.pageCount);
  if (pages.length) showLargest(pages[0]);
  else $("pages").append(element("p", {}, "No document has images."));
  const slow = rows.filter((row) => row.seconds).sort((a, b) => b.seconds - a.seconds).slice(0, 20);
  if (slow.length) {
    show("slowest", ["Image", "#Time", "#Before"],
      slow.map((row) => [row.url, time(row.seconds), bytes(row.before)]));
  }
  if (messages.length) {
    show("messages", ["Severity", "Place", "Image", "Reason", "Help"],
      messages.map(({ severity, places, url, reason, remedy }) =>
        [severity, placeText(places[0]), url ?? "", reason, remedy]),
      content.messageCount);
  }
  const hosts = new Set([...rows.map((row) => row.host), ...failures.map(({ host }) => host)]);
  $("host").append(...[...hosts].filter(Boolean).sort()
    .map((host) => element("option", {}, host)));
  $("unlisted").hidden = !content.unlisted;
  $("unlisted").textContent =
    `Smaller images that are not listed: ${number(content.unlisted)}. A report in JSON has all.`;
}
// Shows the pictures of the page that loads the most.
function showLargest(page) {
  const isOf = (place) => place === page.document || place.startsWith(`${page.document}:`);
  const largest = rows.filter((row) => row.thumbnail && row.places.some(isOf))
    .sort((a, b) => b.after - a.after).slice(0, 12);
  if (!largest.length) return;
  const pictures = largest.map((row) => element("button", {
    type: "button", className: "open", title: row.url, onclick: () => details(row),
  }, thumbnail(row, printable(row.url)), element("span", {}, bytes(row.after))));
  $("pages-title").after(element("figure", { className: "largest" }, ...pictures,
    element("figcaption", {}, `The largest images of ${printable(page.document)}`)));
}
const thumbnail = (row, alt) => element("img", {
  className: "thumbnail", src: row.thumbnail, alt, loading: "lazy", width: 56, height: 42,
});
function savedText(row) {
  if (row.saved === undefined || !row.before) return "";
  const percent = Math.trunc(Math.abs(row.saved) * 100 / row.before);
  return `${row.saved < 0 ? "+" : ""}${percent} %`;
}
function line(row) {
  const open = () => details(row);
  const picture = element("td", { className: "picture" });
  if (row.thumbnail) {
    const button = element("button", { type: "button", className: "open", onclick: open },
      thumbnail(row, ""));
    button.tabIndex = -1;
    button.setAttribute("aria-hidden", "true");
    picture.append(button);
  }
  const name = element("td", { className: "name" },
    element("button", { type: "button", className: "link", onclick: open }, row.url));
  const note = row.failure ?? row.formats;
  if (note) {
    name.append(element("div", { className: row.failure ? "failed" : "note" }, note));
  }
  const cell = (kind, text) => element("td", { className: `number ${kind}` }, text);
  const size = (count) => count === undefined ? "" : bytes(count);
  return element("tr", {}, picture, name, cell("before", size(row.before)),
    cell("after", size(row.after)), cell(row.saved < 0 ? "saved loss" : "saved", savedText(row)), cell("size", row.size ?? ""),
    cell("seconds", row.seconds === undefined ? "" : time(row.seconds)),
    cell("places", number(row.placeCount)));
}

function more(limit = made + portion) {
  const part = document.createDocumentFragment();
  for (; made < Math.min(limit, shown.length); made += 1) part.append(line(shown[made]));
  body.append(part);
  const isDone = made >= shown.length;
  $("more").hidden = isDone;
  $("count").textContent = shown.length === rows.length
    ? `${number(rows.length)} images` : `${number(shown.length)} of ${number(rows.length)} images`;
}
const sortKeys = {
  url: (row) => row.url, before: (row) => row.before, after: (row) => row.after,
  saved: (row) => row.saved, size: (row) => row.pixels, seconds: (row) => row.seconds,
  places: (row) => row.placeCount,
};
function update() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const status = $("status").value, host = $("host").value;
  shown = rows.filter((row) =>
    (!host || row.host === host)
    && (!status || (status === "larger" ? row.saved < 0 : (status === "failed") === Boolean(row.failure)))
    && words.every((word) => row.text.includes(word)));
  const value = sortKeys[key];
  shown.sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    // Failed images have no sizes; they are always first.
    if (a === undefined || b === undefined) return (a !== undefined) - (b !== undefined);
    return a < b ? -direction : a > b ? direction : 0;
  });
  body.replaceChildren();
  made = 0;
  more();
}
function mark() {
  for (const button of document.querySelectorAll("[data-sort]")) {
    const heading = button.closest("th");
    if (button.dataset.sort !== key) heading.removeAttribute("aria-sort");
    else heading.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
  }
}
for (const button of document.querySelectorAll("[data-sort]")) {
  button.onclick = () => {
    if (key === button.dataset.sort) direction = -direction;
    else [key, direction] = [button.dataset.sort, button.dataset.sort === "url" ? 1 : -1];
    mark();
    update();
  };
}
let waiting = 0;
$("controls").oninput = () => {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(update);
};
$("controls").onsubmit = (event) => event.preventDefault();
$("more").onclick = () => {
  const first = made;
  more();
  body.rows[first]?.querySelector("button.link").focus();
};
new IntersectionObserver((entries) => {
  if (entries.some((entry) => entry.isIntersecting)) more();
}, { rootMargin: "600px" }).observe($("more"));
addEventListener("beforeprint", () => {
  more(Math.min(shown.length, mostOnPaper));
  if (made < shown.length) $("count").textContent += `; the first ${number(made)} are printed`;
});

function details(row) {
  $("details-title").textContent = row.url;
  const isCompared = Boolean(row.original && row.baked);
  $("pictures").hidden = !isCompared;
  if (isCompared) [$("original").src, $("baked").src] = [row.original, row.baked];
  $("slider").value = 50;
  slide();
  const list = (items, count) => element("ul", {},
    ...items.map((item) => element("li", {}, item)),
    ...(count > items.length ? [element("li", {}, `and ${number(count - items.length)} more`)] : []));
  const facts = [
    ["Failure", row.failure], ["Formats", row.formats], ["Pixels", row.size],
    ["Size", row.after === undefined ? undefined : `${bytes(row.before)} → ${bytes(row.after)}`],
    ["Files", row.files && list(row.files, row.files.length)],
    ["Places", list(row.places, row.placeCount)],
  ];
  $("facts").replaceChildren(...facts.filter(([, value]) => value)
    .flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  $("details").showModal();
}
function slide() {
  document.querySelector(".compare").style.setProperty("--at", `${$("slider").value}%`);
}
$("slider").oninput = slide;

$("controls").hidden = $("table").hidden = false;
showSections();
mark();
update();
