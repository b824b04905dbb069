import { css } from 'styled-system/css'

/** Columns that give way first when the page grows narrow; head and cells go together. */
export const wideOnly = css({ hideBelow: 'xl' })
export const roomyOnly = css({ mdToLg: { display: 'none' } })
