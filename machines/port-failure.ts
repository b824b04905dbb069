import { statusOf } from './port'

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Why a port failed, without its message, which the view writes. */
export type PortFailure = { status: number; code: string; requestId: string | null }
export const portFailure = (error: unknown): PortFailure => ({
  status: statusOf(error),
  code: isObject(error) && typeof error.code === 'string' ? error.code : 'unknown',
  requestId: isObject(error) && typeof error.requestId === 'string' ? error.requestId : null,
})
