import { css } from 'styled-system/css'
import { shortcut } from '../../lib/shortcut'
import { Kbd } from '../../ui/text/badge'
import { Icon } from '../../ui/icon/icon'
import { openPalette } from '../../system/palette-state'

const box = css({
  display: 'flex',
  alignItems: 'center',
  justifyContent: { base: 'center', xl: 'flex-start' },
  gap: '8',
  w: { base: 'controlTouch', md: 'control', xl: '200' },
  h: { base: 'controlTouch', md: 'control' },
  px: { xl: '8' },
  border: { base: 'clear', xl: 'strong' },
  borderRadius: '4',
  bg: { xl: 'surface' },
  color: 'muted',
  whiteSpace: 'nowrap',
  _hover: { color: 'text', bg: 'hover' },
  // Its accessible name is its text, also where only the icon is shown.
  '& > span': { srOnly: { base: true, xl: false } },
  '& > kbd': { display: { base: 'none', xl: 'flex' }, ml: 'auto' },
})

/** Opens the command palette, as Ctrl K and ⌘ K do. */
export const SearchButton = () => (
  <button type="button" className={box} aria-haspopup="dialog" onClick={openPalette}>
    <Icon name="search" />
    <span>Search or jump to</span>
    <Kbd>{shortcut('K')}</Kbd>
  </button>
)
