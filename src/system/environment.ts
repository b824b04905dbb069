/** Where this console lives and whom it talks to. One object for the whole life of the page. */
export type Environment = {
  name: 'local' | 'staging' | 'production'
  /** Origins, without a slash at the end. */
  api: string
  signIn: string
  /** Names the build, so that one build is reloaded once for a missing chunk. */
  build: string
  /** §1: BETA on the logo. */
  beta: boolean
  /** Where the header's links lead; without an address there is no link. */
  links: { docs?: string; terminal?: string; community?: string; feedback?: string }
  /** §9: the price and the billing portal, test or live. */
  price: string
  portal: string
  analytics: { key: string; host: string } | null
}
