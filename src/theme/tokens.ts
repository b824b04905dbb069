import { defineTokens } from '@pandacss/dev'
import { colors } from './colors'
import { medium } from './text-styles'

/** A token is named by its pixels at a 16 px root, and scales with the reader's root size. */
const scale = (...pixels: number[]) =>
  Object.fromEntries(pixels.map((n) => [n, { value: n === 0 ? '0' : n === 1 ? '1px' : `${n / 16}rem` }]))

const fixed = (pixels: number) => ({ value: `${pixels}px` })

export const tokens = defineTokens({
  colors,
  fonts: {
    // No web font: the platform's own typeface. Not `system-ui` first: on a minimal Linux that is a wide typeface.
    sans: {
      value:
        '-apple-system, "Segoe UI Variable Text", "Segoe UI", "Adwaita Sans", "Inter Variable", Inter, Cantarell, Roboto, "Noto Sans", "Liberation Sans", "Helvetica Neue", Arial, sans-serif',
    },
    mono: {
      value:
        'ui-monospace, "SF Mono", SFMono-Regular, "Cascadia Mono", "JetBrains Mono", "Roboto Mono", "Noto Sans Mono", "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace',
    },
  },
  fontWeights: { regular: { value: 400 }, medium: { value: medium }, semibold: { value: 600 } },
  spacing: { ...scale(0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 56, 64), header: fixed(57) },
  sizes: {
    ...scale(
      0,
      1,
      2,
      3,
      4,
      6,
      8,
      10,
      12,
      14,
      16,
      18,
      20,
      24,
      26,
      28,
      32,
      36,
      40,
      44,
      48,
      56,
      64,
      72,
      80,
      96,
      104,
      112,
      120,
      136,
      160,
    ),
    ...scale(180, 200, 232, 240, 280, 320, 352, 400, 404, 480, 640, 800, 960),
    full: { value: '100%' },
    min: { value: 'min-content' },
    max: { value: 'max-content' },
    fit: { value: 'fit-content' },
    // §9: header height, side-nav width, form width, avatar, upload panel.
    header: fixed(57),
    sideNav: fixed(170),
    form: fixed(600),
    avatar: fixed(26),
    uploadPanel: { value: 'clamp(250px, 50vw, 400px)' },
    uploadPanelMin: fixed(250),
    uploadPanelMax: fixed(400),
    control: { value: '2rem' },
    controlSmall: { value: '1.75rem' },
    controlTouch: { value: '2.5rem' },
    row: { value: '2.25rem' },
    rowDense: { value: '1.75rem' },
    pageHead: { value: '4rem' },
    dialog: { value: '30rem' },
    dialogWide: { value: '37.5rem' },
    drawer: { value: '25.25rem' },
    navDrawer: { value: '17.5rem' },
    side: { value: '22rem' },
    toast: { value: '21.25rem' },
    menuMin: { value: '14.5rem' },
    menuMax: { value: '17.5rem' },
    menuHeight: { value: '20rem' },
    cards: { value: '70rem' },
    content: { value: '90rem' },
    viewport: { value: '100dvh' },
    underHeader: { value: 'calc(100dvh - 57px)' },
    // The rest of the window under the head of a device.
    log: { value: 'max(20rem, calc(100dvh - 26rem))' },
  },
  radii: {
    none: { value: '0' },
    2: fixed(2),
    3: fixed(3),
    4: fixed(4),
    6: fixed(6),
    8: fixed(8),
    full: { value: '999px' },
  },
  borderWidths: { none: { value: '0' }, 1: fixed(1), 2: fixed(2), 3: fixed(3) },
  borders: {
    none: { value: 'none' },
    line: { value: '1px solid {colors.line}' },
    strong: { value: '1px solid {colors.lineStrong}' },
    control: { value: '1px solid {colors.control}' },
    raised: { value: '1px solid {colors.raisedLine}' },
    bloom: { value: '1px solid {colors.bloom.line}' },
    error: { value: '1px solid {colors.error.line}' },
    clear: { value: '1px solid transparent' },
    dashed: { value: '1px dashed {colors.control}' },
    tab: { value: '2px solid {colors.bloom.mark}' },
    tabClear: { value: '2px solid transparent' },
    edge: { value: '3px solid {colors.bloom.mark}' },
    edgeClear: { value: '3px solid transparent' },
  },
  zIndex: {
    content: { value: 0 },
    sticky: { value: 10 },
    side: { value: 20 },
    modal: { value: 30 },
    // Lists open from controls inside a modal too.
    floating: { value: 40 },
    palette: { value: 50 },
    toast: { value: 60 },
    tooltip: { value: 70 },
    tour: { value: 80 },
  },
  opacity: { 0: { value: 0 }, dim: { value: 0.6 }, 1: { value: 1 } },
  durations: {
    hover: { value: '80ms' },
    menu: { value: '120ms' },
    menuOut: { value: '80ms' },
    // §9: modal slot animation.
    slot: { value: '200ms' },
    slotOut: { value: '133ms' },
    mark: { value: '160ms' },
    progress: { value: '200ms' },
    turn: { value: '1s' },
  },
  easings: {
    enter: { value: 'cubic-bezier(.2,0,0,1)' },
    leave: { value: 'cubic-bezier(.4,0,1,1)' },
    linear: { value: 'linear' },
  },
  animations: {
    fadeIn: { value: 'fadeIn {durations.slot} {easings.enter}' },
    fadeOut: { value: 'fadeOut {durations.slotOut} {easings.leave}' },
    menuIn: { value: 'dropIn {durations.menu} {easings.enter}' },
    menuOut: { value: 'fadeOut {durations.menuOut} {easings.leave}' },
    riseIn: { value: 'riseIn {durations.slot} {easings.enter}' },
    slideIn: { value: 'slideIn {durations.slot} {easings.enter}' },
    turn: { value: 'turn {durations.turn} linear infinite' },
    // Nothing is drawn for the first 150 ms of a wait.
    late: { value: 'fadeIn {durations.menu} linear 150ms both' },
    // Not shown when the pointer only passes over a control.
    hint: { value: 'fadeIn {durations.menu} linear 400ms both' },
    climb: { value: 'climb 1120ms linear infinite' },
    sweep: { value: 'sweep 1.2s linear infinite' },
  },
  shadows: {
    none: { value: 'none' },
    menu: {
      value:
        '0 1px 2px light-dark(rgb(24 24 18 / .06), transparent), 0 8px 24px light-dark(rgb(24 24 18 / .14), rgb(0 0 0 / .5))',
    },
    dialog: {
      value:
        '0 2px 4px light-dark(rgb(24 24 18 / .08), transparent), 0 24px 64px light-dark(rgb(24 24 18 / .24), rgb(0 0 0 / .5))',
    },
    focus: { value: '0 0 0 1px {colors.focus}' },
    error: { value: '0 0 0 1px {colors.error}' },
  },
})
