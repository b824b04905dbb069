// Started by tests/bench/rollouts.ts in a process of its own, so that the CPU of the API is counted alone. Each message is a list of
// device tokens; the answer is how long the offers took. A device that gets no connection of the server in time (503) asks again.
import { performance } from 'node:perf_hooks'
import { update } from '../../contract/device/endpoints'
import type { Asked, Polled } from './rollouts'

const poll = async ({ api, tokens, open }: Asked): Promise<Polled> => {
  const waits: number[] = []
  let refused = 0
  let again = 0
  let next = 0
  const before = performance.now()
  const worker = async () => {
    for (let token = tokens[next++]; token !== undefined; token = tokens[next++]) {
      const asked = performance.now()
      let status = 503
      while (status === 503) {
        const answer = await fetch(`${api}${update.path}`, { headers: { authorization: `Bearer ${token}` } })
        await answer.text()
        ;({ status } = answer)
        if (status === 503) again++
      }
      if (status === 200) waits.push(performance.now() - asked)
      else refused++
    }
  }
  await Promise.all(Array.from({ length: open }, worker))
  return { waits, refused, again, seconds: (performance.now() - before) / 1000 }
}

process.on('message', (asked) => {
  void poll(asked as Asked).then((polled) => process.send?.(polled))
})
