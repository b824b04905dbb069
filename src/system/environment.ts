/** The configuration of this console, one object for the whole life of the page. */
export type Environment = {
  name: 'local' | 'staging' | 'production'
  /** Origins, without a trailing slash. */
  api: string
  signIn: string
  /** Identifies the build, so that one build is reloaded once for a missing chunk. */
  build: string
  /** §1: BETA on the logo. */
  beta: boolean
  /** Targets of the header's links; a link without a URL is hidden. */
  links: { docs?: string; terminal?: string; community?: string; feedback?: string }
  /** §9: the price and the billing portal, test or live. */
  price: string
  portal: string
  analytics: { key: string; host: string } | null
}
