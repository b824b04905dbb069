import { useMutation, type UseMutationOptions } from '@tanstack/react-query'
import { useState } from 'react'
import { createHeldRequest } from './held-request'

/** A mutation that repeats a request whose answer was lost with its first key: it is carried out once. */
export const useHeldMutation = <Answer, Input extends { idempotencyKey?: string }>(
  options: UseMutationOptions<Answer, Error, Input>,
) => {
  const [once] = useState(createHeldRequest<Input>)
  const { mutateAsync, isPending } = useMutation(options)
  const send = (input: Input) => once(input, input, ({ body, idempotencyKey }) => mutateAsync({ ...body, idempotencyKey }))
  return { send, isPending }
}
