import { defineSlotRecipe } from '@pandacss/dev'

/** One 16 px bar, true to percent, with tick marks; stages are 2 px apart. */
export const scaleBar = defineSlotRecipe({
  className: 'scale',
  slots: ['root', 'labels', 'label', 'bar', 'stage', 'part', 'ruler', 'fine', 'ends', 'end'],
  base: {
    root: { display: 'grid', gap: '2', w: 'full' },
    labels: { position: 'relative', h: '16', textStyle: 'caption', color: 'muted' },
    label: {
      position: 'absolute',
      left: 'calc(var(--at) * 100%)',
      pl: '3',
      whiteSpace: 'nowrap',
      '&[data-current]': { color: 'info.text' },
    },
    bar: { position: 'relative', h: '16' },
    stage: {
      position: 'absolute',
      top: '0',
      bottom: '0',
      left: 'calc(var(--at) * 100% + 1px)',
      w: 'max(2px, calc(var(--width) * 100% - 2px))',
      display: 'flex',
      bg: 'track',
      overflow: 'hidden',
    },
    part: {
      h: 'full',
      w: 'calc(var(--share) * 100%)',
      minW: '1',
      bg: 'var(--kind)',
      transitionProperty: 'width',
      transitionDuration: 'progress',
      transitionTimingFunction: 'linear',
      _last: { borderRight: 'none' },
    },
    ruler: { w: 'full', h: '10', color: 'control' },
    // One tick per percent would be a grey band on a short bar.
    fine: { mdDown: { display: 'none' } },
    ends: { position: 'relative', h: '16', textStyle: 'caption', color: 'muted' },
    end: {
      position: 'absolute',
      left: 'calc(var(--at) * 100%)',
      translate: '-50% 0',
      whiteSpace: 'nowrap',
      '&[data-near=start]': { translate: '0 0' },
      '&[data-near=end]': { translate: '-100% 0' },
    },
  },
})
