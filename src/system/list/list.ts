import {
  type InfiniteData,
  type QueryFunction,
  type QueryKey,
  type UndefinedInitialDataInfiniteOptions,
  useInfiniteQuery,
} from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { dueIn } from '../../api/refresh'
import { createPageView } from '../page/page-view'

export type List<Row, Page = unknown> = {
  rows: readonly Row[]
  /** The first page: counts come once, with it. */
  first: Page | undefined
  isPending: boolean
  /** Loaded, without a row for the current filters. */
  isEmpty: boolean
  error: Error | null
  /** For `Freshness`. */
  query: { dataUpdatedAt: number; isFetching: boolean; refetch: () => unknown }
  retry: () => void
  hasMore: boolean
  isLoadingMore: boolean
  /** The next page could not be loaded; `error` has the reason. */
  isMoreFailed: boolean
  loadMore: () => void
  /** Says which rows are in view: of a long list only the pages of these are refetched. */
  onView: (first: number, last: number) => void
}

/** Scrolling has ended after this time without a scroll. */
const restMs = 300

type Options<Page, Row> = {
  rows: (page: Page) => readonly Row[]
  /** Refetch interval in milliseconds, one of `paces`; null for a list that no longer changes. */
  pace: number | null
}

/** All loaded pages of a query as one list, refetched at its pace. */
export const useList = <Page, Param, Key extends QueryKey, Row>(
  options: UndefinedInitialDataInfiniteOptions<Page, Error, InfiniteData<Page>, Key, Param>,
  { rows: rowsOnPage, pace }: Options<Page, Row>,
): List<Row, Page> => {
  const [view] = useState(() => createPageView<Page>((page) => rowsOnPage(page).length))
  const read = options.queryFn as QueryFunction<Page, Key, Param>
  const queryFn: typeof read = (context) =>
    view.keep(context.client.getQueryData<InfiniteData<Page>>(context.queryKey), context.pageParam) ?? read(context)
  const query = useInfiniteQuery({ ...options, queryFn, refetchInterval: ({ state }) => pace !== null && dueIn(state, pace) })
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage, isFetchNextPageError } = query
  // One scroll may ask several times before the next render: another `fetchNextPage` would cancel and repeat the request.
  const isRequested = useRef(false)
  const rows = data?.pages.flatMap(rowsOnPage) ?? []
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(rest.current), [])
  return {
    rows,
    first: data?.pages[0],
    isPending,
    isEmpty: data !== undefined && rows.length === 0,
    error,
    query,
    retry: () => void refetch(),
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    isMoreFailed: isFetchNextPageError,
    loadMore: () => {
      if (!hasNextPage || isRequested.current) return
      isRequested.current = true
      void fetchNextPage().finally(() => (isRequested.current = false))
    },
    onView: (first, last) => {
      view.show(first, last)
      clearTimeout(rest.current)
      // A request for the next page goes on.
      const renew = () => data && view.isOutdated(data) && refetch({ cancelRefetch: false })
      rest.current = setTimeout(() => void renew(), restMs)
    },
  }
}
