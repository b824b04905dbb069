/** What would be lost or stay unseen if a form or window was left now: the answer of a save, or typed text. */
export type Stake = 'saving' | 'unknown' | 'typed'

/** `watch` tells of changes until the returned function is called. */
export type StakeHolder = { stake: () => Stake | undefined; watch: (changed: () => void) => () => void }
