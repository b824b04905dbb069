import { defineSlotRecipe } from '@pandacss/dev'

export const codeBlock = defineSlotRecipe({
  className: 'code',
  slots: ['root', 'copy', 'pre', 'line', 'number', 'inline', 'change', 'path'],
  base: {
    root: { position: 'relative', border: 'line', borderRadius: '6', bg: 'code', minW: '0', overflow: 'clip', textStyle: 'mono' },
    // Long lines scroll under the button, not next to it.
    copy: { position: 'absolute', top: '0', right: '0', p: { base: '0', md: '4' }, bg: 'code', borderRadius: '6' },
    // A single line is as high as the copy button.
    pre: { m: '0', py: { base: '10', md: '8' }, overflowX: 'auto', textStyle: 'mono', tabSize: '2' },
    line: {
      display: 'grid',
      gridTemplateColumns: '{sizes.40} max-content',
      minH: '20',
      pr: '40',
      whiteSpace: 'pre',
      borderLeft: 'edgeClear',
      '&[data-marked]': { bg: 'bloom.bg', borderLeft: 'edge' },
      '&[data-diff=out]': { bg: 'error.bg', color: 'error.text' },
      '&[data-diff=in]': { bg: 'success.bg', color: 'success.text' },
      '&[data-diff]': { display: 'block', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', pl: '10', pr: '12' },
      '&[data-plain]:not([data-diff])': { gridTemplateColumns: 'max-content', pl: '10' },
      '& [data-token=string]': { color: 'success.text' },
      '& [data-token=number]': { color: 'info.text' },
      '& [data-token=word]': { color: 'bloom.text' },
      '& [data-token=mark]': { color: 'muted' },
    },
    change: { _first: { '& > *': { borderTop: 'none' } }, '& del, & ins': { textDecoration: 'none' } },
    path: {
      display: 'block',
      px: '12',
      py: '4',
      textStyle: 'mono',
      color: 'muted',
      bg: 'subtle',
      borderTop: 'line',
      borderBottom: 'line',
    },
    number: { textAlign: 'right', pr: '12', color: 'muted', userSelect: 'none' },
    inline: { textStyle: 'mono' },
  },
})
