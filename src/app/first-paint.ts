import { waitFor } from 'xstate'
import type { System } from '../system/system'
import type { ConsoleRouter } from './router'

/** The static shell of the document stays until the first page, or a page of the auth or chunkReload chart, is ready. */
export const firstPaint = ({ auth, chunkReload }: System, router: ConsoleRouter): Promise<unknown> => {
  const signedIn = waitFor(auth, (snapshot) => snapshot.hasTag('signedIn'), { timeout: Number.POSITIVE_INFINITY })
  return Promise.race([
    signedIn.then(() => router.load()),
    waitFor(auth, (snapshot) => ['redirecting', 'unreachable', 'stuck'].some((tag) => snapshot.tags.has(tag))),
    waitFor(chunkReload, (snapshot) => snapshot.tags.size > 0),
  ])
}
