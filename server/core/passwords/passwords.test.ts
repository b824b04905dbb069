import { expect, it } from 'vitest'
import { cheapPasswords } from '../../../tests/support/api'
import { readConfig } from '../config'
import { passwordsOf } from './passwords'

it('T-12: of 30 passwords at once two are hashed, 20 wait, and the others are refused with the time to wait', async () => {
  const { hash } = passwordsOf({ ...readConfig({}), ...cheapPasswords })
  const answers = await Promise.allSettled(Array.from({ length: 30 }, (_, n) => hash(`a password of person ${n}`)))
  expect(answers.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 22 }, () => 'fulfilled'),
    ...Array.from({ length: 8 }, () => 'rejected'),
  ])
  const [refused] = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as object] : []))
  expect(refused).toMatchObject({ status: 429, code: 'too_many_requests' })
  // The queue is empty again.
  expect(await hash('another password')).toMatch(/^scrypt/)
})
