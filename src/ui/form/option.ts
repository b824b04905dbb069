import type { ReactNode } from 'react'

/** One option of a list. */
export type Option<V extends string = string> = { value: V; label: string; icon?: ReactNode; disabled?: boolean }
