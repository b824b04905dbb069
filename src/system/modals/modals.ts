import { type ActorOptions, type ActorRefFrom, createActor, type SnapshotFrom } from 'xstate'
import { type Modal, modalsMachine } from '../../../machines/modals/modals.machine'
import { actorOptions } from '../inspection'

export type ModalsActor = ActorRefFrom<typeof modalsMachine>
/** The stack of dialogs; created with the first one. */
export type Modals = { actor: ModalsActor | undefined }
type Snapshot = SnapshotFrom<typeof modalsMachine>

export const createModals = (options: ActorOptions<typeof modalsMachine> | undefined = actorOptions): ModalsActor =>
  createActor(modalsMachine, options).start()

export const modalsOf = (modals: Modals): ModalsActor => (modals.actor ??= createModals())

const has = (list: readonly Modal[], id: string) => list.some((modal) => modal.id === id)

export const isOpen = ({ context }: Snapshot, id: string) => has(context.stack, id)
/** Only the top dialog is closed by Escape and by its scrim. */
export const isTopModal = ({ context }: Snapshot, id: string) => context.stack.at(-1)?.id === id
/** Closed, and its exit animation has ended. */
export const isGone = ({ context }: Snapshot, id: string) => !has(context.stack, id) && !has(context.leaving, id)
