import { monotonicFactory } from 'ulid'

/** Ids of rows that are told in the order of their ids (ms since 1970 in): those of one instant keep the order in which they were made. */
export const nextId = monotonicFactory()
