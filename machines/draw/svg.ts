import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api'
import { at, boxesOf, type DrawnNode, headOf, pathOf, pointsOf } from '../geometry'

/** The meaning of a state, shown by its color. */
export type StateTone = 'good' | 'bad' | 'late' | 'busy' | 'plain'

const light = `--surface:#fff;--text:#1c1c18;--muted:#6a6962;--control:#8b8b83;--line:#cecec8;
--good:#188646;--goodText:#156234;--goodBg:#e7f9eb;--bad:#ce302d;--badText:#b01f1f;--badBg:#fff1ef;
--late:#be7705;--lateText:#824d00;--lateBg:#fff3da;--busy:#1e72d0;--busyText:#125aae;--busyBg:#edf5ff`
const dark = `--surface:#131310;--text:#eaeae5;--muted:#999991;--control:#717169;--line:#3c3c36;
--good:#46b86e;--goodText:#78d694;--goodBg:#15271a;--bad:#ee5953;--badText:#fa938d;--badBg:#361a18;
--late:#ebaf39;--lateText:#efc469;--lateBg:#2e220f;--busy:#519cec;--busyText:#88c0f9;--busyBg:#172436`

const moods = ['good', 'bad', 'late', 'busy'] as const
const style = `<style>
svg{${light}}@media(prefers-color-scheme:dark){svg{${dark}}}
.page{fill:var(--surface)}.box{fill:none;stroke:var(--line)}.state{fill:var(--surface);stroke:var(--control);stroke-width:1.2}
.name{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--text);text-anchor:middle}
.caption,.label{font:11px system-ui,-apple-system,Segoe UI,sans-serif;fill:var(--muted)}
.label{text-anchor:middle}
.arrow{fill:none;stroke:var(--control);stroke-width:1.2}.head{fill:none;stroke:var(--control);stroke-width:1.3;stroke-linecap:round;stroke-linejoin:round}
.dot{fill:var(--text)}.any{fill:none;stroke:var(--control);stroke-dasharray:2 2.5}
${moods.map((mood) => `.${mood} .state{fill:var(--${mood}Bg);stroke:var(--${mood})}.${mood} .name{fill:var(--${mood}Text)}`).join('\n')}
</style>`

const safe = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const arrow = ({ sections = [] }: ElkExtendedEdge) =>
  sections
    .map(pointsOf)
    .map((points) => `<path class="arrow" d="${pathOf(points)}"/><path class="head" d="${headOf(points)}"/>`)
    .join('')

/** Labels are on their edge, on a patch of the background color. */
const words = ({ labels = [] }: ElkExtendedEdge) =>
  labels
    .map(({ text = '', x = 0, y = 0, width = 0, height = 0 }) => {
      const lines = text
        .split('\n')
        .map((line, n) => `<text class="label" x="${at(x + width / 2)}" y="${at(y + 12 + n * 15)}">${safe(line)}</text>`)
      return `<rect class="page" x="${at(x)}" y="${at(y)}" width="${at(width)}" height="${at(height)}"/>${lines.join('')}`
    })
    .join('')

const state = (node: DrawnNode, mood: StateTone): string => {
  const { x = 0, y = 0, width = 0, height = 0 } = node
  const name = node.labels?.[0]?.text ?? ''
  const frame = `x="${at(x)}" y="${at(y)}" width="${at(width)}" height="${at(height)}"`
  if (node.id.endsWith(':dot')) return `<circle class="dot" cx="${at(x + 4)}" cy="${at(y + 4)}" r="4"/>`
  if (node.children)
    return `<rect class="box" ${frame} rx="6"/><text class="caption" x="${at(x + 12)}" y="${at(y + 20)}">${safe(name)}</text>`
  const middle = `x="${at(x + width / 2)}" y="${at(y + height / 2 + 4)}"`
  if (node.id.endsWith(':any'))
    return `<rect class="any" ${frame} rx="11"/><text class="caption" text-anchor="middle" ${middle}>any</text>`
  return `<g class="${mood}"><rect class="state" ${frame} rx="14"/><text class="name" ${middle}>${safe(name)}</text></g>`
}

/** The picture: one SVG that is readable on light and dark backgrounds. */
export const svgOf = (title: string, layout: ElkNode, moodOf: (id: string) => StateTone): string => {
  const [width, height] = [Math.ceil(layout.width ?? 0), Math.ceil(layout.height ?? 0)]
  const edges = layout.edges ?? []
  const all = boxesOf(layout)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${safe(title)}">
${style}
<rect class="page" width="${width}" height="${height}" rx="6"/>
${all
  .filter(({ children }) => children)
  .map((node) => state(node, 'plain'))
  .join('\n')}
${edges.map(arrow).join('\n')}
${all
  .filter(({ children }) => !children)
  .map((node) => state(node, moodOf(node.id)))
  .join('\n')}
${edges.map(words).filter(Boolean).join('\n')}
</svg>
`
}
