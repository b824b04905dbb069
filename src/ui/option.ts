import type { ReactNode } from 'react'

/** One entry of a list to choose from. */
export type Option<V extends string = string> = { value: V; label: string; icon?: ReactNode; disabled?: boolean }
