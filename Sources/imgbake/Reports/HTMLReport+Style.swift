extension HTMLReport {
    /// The style sheet: light and dark, narrow and wide, screen and paper.
    static let style = """

        :root {
          color-scheme: light dark;
          --back: #fff; --card: #f5f6f8; --text: #1c2026; --weak: #59616d; --line: #d5d9df;
          --link: #0b57b0; --bad: #b3261e; --good: #1a6e35;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --back: #14171b; --card: #1f242b; --text: #e8eaee; --weak: #a4adba; --line: #3a414b;
            --link: #8ab8ff; --bad: #ff9a92; --good: #7fd69a;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; background: var(--back); color: var(--text);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
        }
        header, main { max-width: 1280px; margin: 0 auto; padding: 0 1.25rem; }
        header { padding-top: 1.5rem; }
        main { padding-bottom: 3rem; }
        h1 { margin: 0; font-size: 1.7rem; line-height: 1.2; }
        h2 { margin: 2.2rem 0 .8rem; font-size: 1.2rem; }
        header p { margin: .2rem 0 0; color: var(--weak); overflow-wrap: anywhere; }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        h2:focus { outline: none; }
        .skip { position: absolute; left: -100vw; }
        .skip:focus { left: .5rem; top: .5rem; padding: .5rem; background: var(--back); }
        .hidden {
          position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
          white-space: nowrap;
        }
        .cards {
          display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem;
          margin: 0;
        }
        .cards div { padding: .75rem 1rem; background: var(--card); border-radius: .5rem; }
        .cards dt { color: var(--weak); }
        .cards dd { margin: 0; }
        .cards strong { display: block; font-size: 1.35rem; line-height: 1.3; }
        .cards span { color: var(--weak); font-size: .87rem; }
        .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; }
        table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
        th, td { padding: .45rem .75rem; text-align: left; vertical-align: top; }
        td { overflow-wrap: anywhere; min-width: 5rem; }
        th { background: var(--card); color: var(--weak); font-weight: 600; white-space: nowrap; }
        tbody tr { border-top: 1px solid var(--line); }
        .number { text-align: right; }
        td.number { white-space: nowrap; overflow-wrap: normal; min-width: 0; }
        td.picture { width: 4.5rem; min-width: 4.5rem; padding-right: 0; }
        td.name { min-width: 11rem; }
        td .note { color: var(--weak); font-size: .87rem; }
        .failed { color: var(--bad); }
        td.saved { color: var(--good); }
        td.loss, .cards .loss { color: var(--bad); }
        th button {
          padding: 0; border: 0; background: none; color: inherit; font: inherit; cursor: pointer;
        }
        th button::after { content: " \\2195"; opacity: .45; }
        th[aria-sort=ascending] button::after { content: " \\2191"; opacity: 1; }
        th[aria-sort=descending] button::after { content: " \\2193"; opacity: 1; }
        .controls { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; }
        .controls[hidden] { display: none; }
        .controls label { color: var(--weak); }
        input, select, .action, #more {
          padding: .35rem .6rem; border: 1px solid var(--line); border-radius: .4rem;
          background: var(--back); color: var(--text); font: inherit;
        }
        .controls input { width: 18rem; max-width: 100%; }
        .controls select { max-width: 14rem; }
        #more { margin-top: .75rem; cursor: pointer; }
        .open {
          display: block; padding: 0; border: 0; border-radius: .3rem; background: none;
          cursor: pointer; line-height: 0;
        }
        .thumbnail {
          width: 56px; height: 42px; object-fit: contain; border-radius: .3rem;
          background: var(--card);
        }
        .link {
          padding: 0; border: 0; background: none; color: var(--link); font: inherit;
          text-align: left; cursor: pointer; overflow-wrap: anywhere; text-decoration: underline;
        }
        dialog {
          width: min(60rem, calc(100vw - 1.5rem)); max-height: calc(100vh - 1.5rem); padding: 1.25rem;
          border: 1px solid var(--line); border-radius: .6rem; background: var(--back);
          color: var(--text);
        }
        dialog::backdrop { background: rgb(0 0 0 / .55); }
        dialog h2 { margin: 0 0 .75rem; font-size: 1.05rem; overflow-wrap: anywhere; }
        .compare { position: relative; display: grid; background: var(--card); overflow: hidden; }
        .compare img { grid-area: 1 / 1; width: 100%; max-height: 55vh; object-fit: contain; }
        .compare .over { clip-path: inset(0 calc(100% - var(--at, 50%)) 0 0); }
        .compare .cover { grid-area: 1 / 1; background: var(--card);
          clip-path: inset(0 calc(100% - var(--at, 50%)) 0 0); }
        .compare hr {
          position: absolute; inset: 0 auto 0 var(--at, 50%); width: 2px; margin: 0; border: 0;
          background: var(--link);
        }
        .slide { display: block; margin: .5rem 0; color: var(--weak); }
        .slide input { width: 100%; padding: 0; }
        .ends { display: flex; justify-content: space-between; font-size: .87rem; }
        dialog dl { margin: .75rem 0; }
        dialog dt { color: var(--weak); }
        dialog dd { margin: 0 0 .5rem; overflow-wrap: anywhere; }
        dialog dd ul { margin: 0; padding-left: 1.1rem; max-height: 12rem; overflow-y: auto; }
        .action { cursor: pointer; }
        @media (max-width: 40rem) {
          header, main { padding-left: .8rem; padding-right: .8rem; }
          .cards { grid-template-columns: 1fr 1fr; }
          th, td { padding: .4rem .5rem; }
          #table .size, #table .seconds, #table .saved, #table .places { display: none; }
          #table td.name { min-width: 8rem; }
          .controls label, .controls input, .controls select { display: block; width: 100%; }
          .controls label { width: 100%; }
          .controls select { max-width: none; }
        }
        @media print {
          :root {
            --back: #fff; --card: #f5f6f8; --text: #000; --weak: #444; --line: #bbb; --link: #000;
            --bad: #900; --good: #060;
          }
          body { font-size: 10pt; }
          .controls, .skip, #more, dialog, noscript { display: none !important; }
          .scroll { overflow: visible; border: 0; }
          .cards { grid-template-columns: repeat(4, 1fr); }
          thead { display: table-header-group; }
          tr, .cards div { break-inside: avoid; }
          h2 { break-after: avoid; }
          th button::after { content: "" !important; }
          .link { text-decoration: none; }
        }

        """
}
