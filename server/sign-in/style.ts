/** The style sheet of the sign-in host. Colors and sizes are those of the console's theme, which it cannot import. */
export const style = `
:root { color-scheme: light dark; --surface: #fff; --nav: #f9f9f7; --hover: #f2f2ee; --line: #e2e2de; --lineStrong: #cecec8; --control: #8b8b83;
  --text: #1c1c18; --text2: #4c4c45; --muted: #6a6962; --bloom: #90307a; --bloomHover: #782466; --bloomActive: #671d56; --bloomText: #8b2b75;
  --bloomMark: #90307a; --focus: #b03c95; --error: #ce302d; --errorText: #b01f1f; --errorBg: #fff1ef; --errorLine: #fbbbb5;
  --info: #1e72d0; --infoText: #125aae; --infoBg: #edf5ff; --infoLine: #b4d0f5; --cell: #4c4c45; --glyph: #fff }
@media (prefers-color-scheme: dark) { :root { --surface: #131310; --nav: #0f0e0c; --hover: #201f1c; --line: #292924; --lineStrong: #3c3c36;
  --control: #717169; --text: #eaeae5; --text2: #bab9b3; --muted: #999991; --bloom: #ab4392; --bloomHover: #b54c9c; --bloomActive: #9e3b86;
  --bloomText: #e99cd3; --bloomMark: #d06bb4; --focus: #e07dc5; --error: #ee5953; --errorText: #fa938d; --errorBg: #361a18; --errorLine: #7e3633;
  --info: #519cec; --infoText: #88c0f9; --infoBg: #172436; --infoLine: #2d4e78; --cell: #bab9b3; --glyph: #131310 } }
*, ::before, ::after { box-sizing: border-box; margin: 0 }
form, .field, .facts, .ways, .mails, .account span { grid-template-columns: minmax(0, 1fr) }
body { display: grid; grid-template-columns: minmax(0, 620fr) minmax(0, 660fr); min-height: 100vh; background: var(--surface); color: var(--text);
  font: 400 .8125rem/1.25rem -apple-system, "Segoe UI Variable Text", "Segoe UI", "Adwaita Sans", "Inter Variable", Inter, Cantarell, Roboto,
  "Noto Sans", "Liberation Sans", "Helvetica Neue", Arial, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: break-word;
  -webkit-font-smoothing: antialiased }
.page { display: flex; flex-direction: column; min-height: 100vh; padding: 24px 40px }
header { display: flex } .brand { display: flex; align-items: center; gap: 8px; color: inherit; font-weight: 600; font-size: .9375rem; letter-spacing: -.01em; text-decoration: none }
.mark { fill: currentColor } .mark .band { fill: var(--bloomMark) }
main { width: 100%; max-width: 340px; margin: auto; padding: 40px 0 }
main.wide { max-width: 600px }
h1 { font-size: 1.25rem; line-height: 1.75rem; font-weight: 600; letter-spacing: -.012em }
h2 { font-size: .875rem; line-height: 1.25rem; font-weight: 600 }
h1 + p { margin-top: 4px }
p { color: var(--muted) } p + p { margin-top: 8px }
p strong { color: var(--text); font-weight: 500 }
code { font: 400 .75rem/1.25rem ui-monospace, "SF Mono", SFMono-Regular, "Cascadia Mono", "JetBrains Mono", "Roboto Mono", "Noto Sans Mono",
  "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace; letter-spacing: -.01em; color: var(--text2) }
a { color: var(--bloomText); text-decoration: none; border-radius: 2px } a:hover { text-decoration: underline; text-underline-offset: 2px }
form { display: grid; gap: 24px; margin-top: 24px }
.field { display: grid; gap: 4px } .box { position: relative }
.label { display: flex; align-items: baseline; justify-content: space-between; gap: 12px } label { font-weight: 500 }
input { width: 100%; height: 32px; padding: 0 10px; border: 1px solid var(--control); border-radius: 4px; background: var(--surface); color: inherit; font: inherit }
input:focus-visible { outline: 1px solid var(--focus); outline-offset: 0; border-color: var(--focus) }
input[readonly] { background: var(--nav); border-color: var(--lineStrong); color: var(--text2) }
input[aria-invalid=true] { border-color: var(--error); outline-color: var(--error) }
.field p { margin: 0 } .hint { color: var(--muted); font-size: .75rem; line-height: 1rem }
.wrong { display: flex; gap: 6px; align-items: flex-start; color: var(--errorText); font-size: .75rem; line-height: 1rem }
.box:has(.reveal) input { padding-right: 40px }
.reveal { position: absolute; right: 1px; top: 1px; width: 38px; height: 30px; display: grid; place-items: center; padding: 0; border: 0; border-radius: 4px; background: none; color: var(--muted); cursor: pointer }
.reveal[hidden] { display: none } .reveal[aria-pressed=true] { color: var(--bloomText) }
.wrong svg { margin-top: 2px }
.reveal svg, .wrong svg, .notice svg, .where svg { flex: none; fill: none; stroke: currentColor; stroke-width: 1.4; stroke-linecap: round; stroke-linejoin: round }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px }
.primary { height: 36px; border: 0; border-radius: 4px; background: var(--bloom); color: #fff; font: inherit; font-weight: 500; cursor: pointer }
.primary:hover { background: var(--bloomHover) } .primary:active { background: var(--bloomActive) }
.secondary { height: 36px; border: 1px solid var(--lineStrong); border-radius: 4px; background: var(--surface); color: var(--text); font: inherit; font-weight: 500; cursor: pointer }
.secondary:hover { background: var(--hover) }
.ways { display: grid; gap: 12px; margin-top: 24px } .ways + .hint { margin-top: 12px }
.ways a, .ways a:hover { display: grid; place-items: center; text-decoration: none; border-radius: 4px } .ways .primary { color: #fff } .ways .secondary { color: var(--text) }
form:not(.actions) > .primary + .secondary { margin-top: -12px } form + form { margin-top: 12px }
.or { display: flex; align-items: center; gap: 12px; margin-top: 16px } .or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line) } .or + .ways { margin-top: 16px }
.facts { display: grid; gap: 8px; margin-top: 20px; padding: 12px; border: 1px solid var(--line); border-radius: 6px }
.facts div { display: grid; grid-template-columns: 76px minmax(0, 1fr) } .facts dt { color: var(--muted) } .facts dd { color: var(--text2) } .facts strong { display: block; color: var(--text); font-weight: 500 }
blockquote { margin-top: 12px; padding: 2px 0 2px 12px; border-left: 2px solid var(--lineStrong); color: var(--text2); white-space: pre-wrap }
.after { margin-top: 24px; padding-top: 16px; border-top: 1px solid var(--line) } .after a { font-weight: 500 }
.notice { display: flex; gap: 8px; margin-top: 20px; padding: 8px 12px; border: 1px solid var(--infoLine); border-radius: 6px; background: var(--infoBg); color: var(--infoText) }
.notice.bad { border-color: var(--errorLine); background: var(--errorBg); color: var(--errorText) }
.notice svg { margin-top: 4px } .notice a { padding: 0; color: inherit; font-weight: 500; text-decoration: underline; text-underline-offset: 2px } .shape-error { color: var(--error) } .shape-info { color: var(--info) }
.account { display: flex; align-items: center; gap: 12px; padding: 12px; border: 1px solid var(--line); border-radius: 6px }
.account span { display: grid; min-width: 0 } .account small { color: var(--muted); font-size: .75rem; line-height: 1rem }
.initial { place-items: center; width: 32px; height: 32px; flex: none; border-radius: 50%; background: var(--bloom); color: #fff; font-weight: 600 }
.mails { display: grid; gap: 16px; margin-top: 24px; padding: 0; list-style: none }
.mails li { padding: 16px; border: 1px solid var(--line); border-radius: 6px }
.mails pre { margin-top: 8px; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; color: var(--text2) } .mails p code { white-space: nowrap } .mails pre a { text-decoration: underline; text-underline-offset: 2px }
form.actions { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 12px } .actions button { padding: 0 12px }
.where { display: flex; align-items: center; gap: 6px; color: var(--muted); font-size: .75rem; line-height: 1rem }
.plate { position: sticky; top: 0; height: 100vh; overflow: hidden; border-left: 1px solid var(--line); background: var(--nav) }
.plate svg { display: block; width: 100%; height: 100%; overflow: visible }
.plate path { fill: none } .plate text { fill: var(--text2); font-size: 12px }
.plate .waiting { stroke: var(--control); stroke-width: .9 } .plate .updating { fill: var(--bloomMark) } .plate .confirmed { fill: var(--cell) }
.plate .bracts { stroke: var(--control); stroke-width: 1.4 } .plate .stem { stroke: var(--cell); stroke-width: 2 } .plate .rule { stroke: var(--lineStrong) }
@media (max-width: 1023px) { body { grid-template-columns: minmax(0, 1fr) } .plate { display: none } }
@media (max-width: 767px) { .page { padding: 16px } main { max-width: none; padding: 32px 0; margin: 0 auto auto } input, .primary, .secondary { height: 40px } input { font-size: 1rem }
  .reveal { height: 38px } a { display: inline-block; padding: 2px 0 } }
`

/** Shows a password on request. The form also works without it. */
export const script = `
for (const button of document.querySelectorAll('.reveal')) {
  const input = document.getElementById(button.getAttribute('aria-controls'))
  button.hidden = false
  button.addEventListener('click', () => {
    const shown = input.type === 'text'
    input.type = shown ? 'password' : 'text'
    button.setAttribute('aria-pressed', String(!shown))
  })
}
`
