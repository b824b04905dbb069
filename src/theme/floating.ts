/** Shared by all floating lists: the box, and a 32 px row. */
export const floating = {
  zIndex: 'floating',
  minW: 'menuMin',
  maxW: 'menuMax',
  border: 'raised',
  borderRadius: '6',
  bg: 'raised',
  color: 'text',
  boxShadow: 'menu',
  outline: 'none',
  _open: { animation: 'menuIn' },
  _closed: { animation: 'menuOut' },
} as const

export const option = {
  display: 'flex',
  alignItems: 'center',
  gap: '8',
  w: 'full',
  minH: { base: 'controlTouch', md: 'control' },
  px: '8',
  borderRadius: '4',
  cursor: 'pointer',
  textAlign: 'left',
  color: 'text',
  '& svg': { color: 'muted' },
  '& kbd': { ml: 'auto' },
  _highlighted: { bg: 'raisedHover' },
  _disabled: { color: 'faint', cursor: 'default' },
  // The list waits above the page until it has its place: a program that presses an option would scroll the page to it.
  '[style*="-100vh"] &': { visibility: 'hidden' },
} as const
