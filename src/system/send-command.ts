import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Command, CommandName } from '../../contract/fleet/device-commands'
import type { Api } from '../api/client'
import { sendCommandMutation } from '../api/mutations/fleet/devices'
import { commandQuery } from '../api/queries/fleet/devices'
import { formatSentCommand } from '../lib/queued-command-text'
import { createHeldRequest, isUnanswered } from './form/held-request'
import { type Notice, notify } from './failure/notify'
import { notifyHeldFailed } from './failure/notify-failed'
import { useSystem } from './system'

type Order = { command: CommandName }
type HeldRequest = ReturnType<typeof createHeldRequest<Order>>

/** By device and command, also after the page or the palette that sent it was closed. */
const heldRequests = new WeakMap<Api, Map<string, HeldRequest>>()

/** The key of a command without an answer, in this tab: a reload must not make it another command. */
const storedKey = (name: string) => {
  const entry = `unanswered_command ${name}`
  return {
    read: () => sessionStorage.getItem(entry) ?? undefined,
    forget: () => sessionStorage.removeItem(entry),
    write: (key: string) => {
      try {
        sessionStorage.setItem(entry, key)
      } catch {
        // Storage is full: the key is held until the page is left.
      }
    },
  }
}

const heldRequestOf = (api: Api, name: string): HeldRequest => {
  const requests = heldRequests.get(api) ?? new Map<string, HeldRequest>()
  heldRequests.set(api, requests)
  const request = requests.get(name) ?? createHeldRequest<Order>(() => storedKey(name).read() ?? crypto.randomUUID())
  requests.set(name, request)
  return request
}

/**
 * Sends a command to a device and says when it is delivered, or why it was not sent. After an answer was lost the same command is
 * repeated with its first key: a device must not restart twice. `actionOf`: what the notice offers.
 */
export const useSendCommand = (actionOf?: (sent: Command) => Notice['action']) => {
  const { api } = useSystem()
  const client = useQueryClient()
  const { mutateAsync, isPending } = useMutation(sendCommandMutation(api))
  const sendOnce = async (deviceId: string, order: Order) => {
    const name = `${deviceId} ${order.command}`
    const stored = storedKey(name)
    const isStored = stored.read() !== undefined
    try {
      const sent = await heldRequestOf(api, name)(order, order, async ({ isRepeat, ...input }) => {
        stored.write(input.idempotencyKey)
        const answer = await mutateAsync({ deviceId, ...input })
        // The answer to a repeated key is the first one, and the device may have fetched the command since.
        const now = { ...commandQuery(api, deviceId, answer.id), staleTime: 0 }
        return isRepeat || isStored ? client.fetchQuery(now).catch(() => answer) : answer
      })
      stored.forget()
      return sent
    } catch (error) {
      if (!isUnanswered(error)) stored.forget()
      throw error
    }
  }
  const send = async (deviceId: string, command: CommandName) => {
    try {
      const sent = await sendOnce(deviceId, { command })
      const action = actionOf?.(sent)
      void notify({ kind: 'success', text: formatSentCommand(sent, new Date()), ...(action && { action }) })
    } catch (error) {
      notifyHeldFailed(error)
    }
  }
  return { send, isPending }
}
