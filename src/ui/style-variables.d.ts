import 'react'

/** The custom properties that components set for recipes: shares of a whole, 0 to 1. */
declare module 'react' {
  interface CSSProperties {
    '--share'?: number
    '--at'?: number
    '--width'?: number
  }
}
