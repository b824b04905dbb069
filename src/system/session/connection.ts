import { type ActorRefFrom, type AnyEventObject, createActor, fromCallback } from 'xstate'
import { type ConnectionEvent, connectionMachine } from '../../../machines/connection/connection.machine'
import { actorOptions } from '../inspection'

export type Connection = ActorRefFrom<typeof connectionMachine>

export const createConnection = (page: Window): Connection =>
  createActor(
    connectionMachine.provide({
      actors: {
        network: fromCallback<AnyEventObject, void>(({ sendBack }) => {
          const notifyListeners = (event: ConnectionEvent) => sendBack(event)
          const restored = () => notifyListeners({ type: 'connection.restored' })
          const lost = () => notifyListeners({ type: 'connection.lost' })
          if (!page.navigator.onLine) lost()
          page.addEventListener('online', restored)
          page.addEventListener('offline', lost)
          return () => {
            page.removeEventListener('online', restored)
            page.removeEventListener('offline', lost)
          }
        }),
      },
    }),
    actorOptions,
  )
