import 'react'

/** The numbers that recipes take from a part: shares of a whole, 0 to 1. */
declare module 'react' {
  interface CSSProperties {
    '--share'?: number
    '--at'?: number
    '--width'?: number
  }
}
