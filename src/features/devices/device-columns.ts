import { css } from 'styled-system/css'

/** Columns that are hidden first when the page is narrow; head and cells together. */
export const wideOnly = css({ hideBelow: 'xl' })
export const roomyOnly = css({ mdToLg: { display: 'none' } })
