import { leavesUnknown } from '../../../contract/core/errors'
import { failureOf } from '../../api/failure'

/** Whether the request may have been carried out although it failed, or is still running after its answer was lost. */
export const isUnanswered = (error: unknown): boolean => {
  const failure = failureOf(error)
  return failure !== undefined && leavesUnknown(failure)
}

export const notKnownText = 'It is not known whether this was done.'
/** For a request that is repeated with its first key. */
export const tryAgainText = `${notKnownText} Try it again: it is not done twice.`

type Held<Body> = { body: Body; idempotencyKey: string }
type Sent<Body> = Held<Body> & { isRepeat: boolean }

/**
 * Repeats a request whose answer was lost with the same body and key, so that it is carried out once. `intent` is what the
 * person wants; the body may have parts that change by themselves, such as an end time or the hash of a preview.
 */
export const createHeldRequest = <Body>(make: () => string = () => crypto.randomUUID()) => {
  let held: (Held<Body> & { intent: string }) | undefined
  return async <Answer>(intent: unknown, body: Body, send: (sent: Sent<Body>) => Promise<Answer>): Promise<Answer> => {
    const wanted = JSON.stringify(intent)
    const isRepeat = held?.intent === wanted
    if (held?.intent !== wanted) held = { intent: wanted, body, idempotencyKey: make() }
    const { body: first, idempotencyKey } = held
    try {
      const answer = await send({ body: first, idempotencyKey, isRepeat })
      held = undefined
      return answer
    } catch (error) {
      if (!isUnanswered(error)) held = undefined
      throw error
    }
  }
}
