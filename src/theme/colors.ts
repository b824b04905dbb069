import { defineTokens } from '@pandacss/dev'

/** One declaration for both themes; `color-scheme` on the root (the system's setting, or `data-theme`) decides which is used. */
const pair = (light: string, dark: string) => ({ value: `light-dark(${light}, ${dark})` })

/** A status in four strengths: shape and bar, words, tint, border of a callout. */
const kind = (light: [string, string, string, string], dark: [string, string, string, string]) => ({
  DEFAULT: pair(light[0], dark[0]),
  text: pair(light[1], dark[1]),
  bg: pair(light[2], dark[2]),
  line: pair(light[3], dark[3]),
})

/** A tag color: words, tint, mark. */
const tag = (light: [string, string, string], dark: [string, string, string]) => ({
  text: pair(light[0], dark[0]),
  bg: pair(light[1], dark[1]),
  mark: pair(light[2], dark[2]),
})

/** Neutral colors, the accent color (the user's own actions) and status colors (the fleet). No hue is used by two of them. */
export const colors = defineTokens.colors({
  surface: pair('#ffffff', '#131310'),
  nav: pair('#f9f9f7', '#0f0e0c'),
  code: pair('#f9f9f7', '#0f0e0c'),
  subtle: pair('#f7f7f4', '#191916'),
  hover: pair('#f2f2ee', '#201f1c'),
  raised: pair('#ffffff', '#1d1d19'),
  raisedHover: pair('#f2f2ee', '#292925'),
  raisedLine: pair('#e2e2de', '#3c3c36'),
  track: pair('#e7e6e2', '#2c2c27'),
  line: pair('#e2e2de', '#292924'),
  lineStrong: pair('#cecec8', '#3c3c36'),
  control: pair('#8b8b83', '#717169'),
  text: pair('#1c1c18', '#eaeae5'),
  text2: pair('#4c4c45', '#bab9b3'),
  muted: pair('#6a6962', '#999991'),
  faint: pair('#8b8b83', '#717169'),
  white: { value: '#ffffff' },
  glyph: pair('#ffffff', '#131310'),
  scrim: pair('rgb(24 24 20 / 0.36)', 'rgb(0 0 0 / 0.6)'),
  focus: pair('#b03c95', '#e07dc5'),
  bloom: {
    DEFAULT: pair('#90307a', '#ab4392'),
    hover: pair('#782466', '#b54c9c'),
    active: pair('#671d56', '#9e3b86'),
    text: pair('#8b2b75', '#e99cd3'),
    bg: pair('#fceff7', '#321d2c'),
    line: pair('#e9bfdc', '#6c385e'),
    mark: pair('#90307a', '#d06bb4'),
  },
  danger: { DEFAULT: pair('#c52c2a', '#c7332f'), hover: pair('#aa1f1f', '#d13e38') },
  success: kind(['#188646', '#156234', '#e7f9eb', '#acdcb8'], ['#46b86e', '#78d694', '#15271a', '#275235']),
  error: kind(['#ce302d', '#b01f1f', '#fff1ef', '#fbbbb5'], ['#ee5953', '#fa938d', '#361a18', '#7e3633']),
  info: kind(['#1e72d0', '#125aae', '#edf5ff', '#b4d0f5'], ['#519cec', '#88c0f9', '#172436', '#2d4e78']),
  warning: kind(['#be7705', '#824d00', '#fff3da', '#ebc989'], ['#ebaf39', '#efc469', '#2e220f', '#61481b']),
  neutral: kind(['#6a6962', '#4c4c45', '#f2f2ee', '#e2e2de'], ['#999991', '#bab9b3', '#201f1c', '#292924']),
  tag: {
    stone: tag(['#4e4d47', '#f0f0ee', '#818179'], ['#c8c8c1', '#2b2b29', '#9f9f97']),
    clay: tag(['#773828', '#ffebe5', '#b86652'], ['#f8b5a3', '#3c251f', '#da856f']),
    ochre: tag(['#694500', '#f9efdf', '#a47726'], ['#e5c18a', '#362915', '#c49548']),
    moss: tag(['#495308', '#eef3e1', '#7b8935'], ['#c2cf92', '#2a2e18', '#98a855']),
    fern: tag(['#255a33', '#e6f5e8', '#519160'], ['#a5d6ae', '#1f3022', '#6fb07d']),
    lagoon: tag(['#005959', '#e3f4f4', '#349090'], ['#96d5d4', '#193030', '#57afaf']),
    sky: tag(['#005478', '#e1f3fe', '#2d8ab8'], ['#92d1f6', '#172e3b', '#50a9d9']),
    iris: tag(['#414583', '#ebefff', '#7078c7'], ['#b9c2ff', '#262940', '#8d96e8']),
    bloom: tag(['#6f3460', '#fdeaf6', '#ad6299'], ['#efb1dc', '#392332', '#ce80b8']),
    rose: tag(['#7e2e3d', '#ffe9eb', '#c05b6b'], ['#ffadb6', '#3e2225', '#e37a89']),
  },
})
