import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import {
  addNewer,
  addOlder,
  countNewer,
  type LogAnchor,
  type LogFilters,
  type LogWindow,
  logWindowQuery,
  readLogPage,
} from '../../../api/queries/fleet/device-logs'
import { every, paces } from '../../../api/refresh'
import { useSystem } from '../../../system/system'

type Asked = { deviceId: string; filters: LogFilters; anchor: LogAnchor; live: boolean; isAtEnd: boolean }

/** A part of a log that grows in both directions, and with `live` by the lines that are new. */
export const useLogWindow = ({ deviceId, filters, anchor, live, isAtEnd }: Asked) => {
  const { api } = useSystem()
  const queryClient = useQueryClient()
  const options = logWindowQuery(api, deviceId, filters, anchor)
  const query = useQuery(options)
  const { data: window } = query
  const isLoading = useRef(false)
  const [loading, setLoading] = useState<'older' | 'newer' | null>(null)
  const [failed, setFailed] = useState<'older' | 'newer' | null>(null)
  const [openedAt, setOpenedAt] = useState(0)
  const isFollowing = live && isAtEnd && window?.newer === null

  const change = (next: (window: LogWindow) => LogWindow) =>
    queryClient.setQueryData(options.queryKey, (kept) => kept && next(kept))
  const get = () => queryClient.getQueryData(options.queryKey)

  const load = async (direction: 'older' | 'newer') => {
    const from = get()?.[direction]
    if (from === null || from === undefined || isLoading.current) return
    isLoading.current = true
    setLoading(direction)
    try {
      const asked = direction === 'older' ? { before_sequence: from } : { after_sequence: from }
      const page = await readLogPage(api, deviceId, filters, asked)
      // The other end may have been cut off meanwhile, or the log opened anew.
      change((kept) => (kept[direction] !== from ? kept : direction === 'older' ? addOlder(kept, page) : addNewer(kept, page)))
      setFailed(null)
    } catch {
      setFailed(direction)
    } finally {
      isLoading.current = false
      setLoading(null)
    }
  }

  const tail = useQuery({
    queryKey: [...options.queryKey, 'tail'],
    enabled: live && window !== undefined,
    queryFn: async ({ signal }) => {
      const kept = get()
      if (!kept) return 0
      const page = await readLogPage(api, deviceId, filters, { after_sequence: kept.tail }, signal)
      change((now) =>
        now.tail !== kept.tail ? now : isFollowing && now.newer === null ? addNewer(now, page) : countNewer(now, page),
      )
      return page.lines.length
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchInterval: every(paces.log),
  })

  return {
    window,
    isPending: query.isPending,
    error: query.error,
    retry: () => void query.refetch(),
    /** Reads the log again from its anchor; the rows are placed anew. */
    reopen: () => {
      setOpenedAt((count) => count + 1)
      void queryClient.resetQueries({ queryKey: options.queryKey, exact: true })
    },
    openedAt,
    linked: anchor !== null && 'line' in anchor ? anchor.line : undefined,
    isFollowing,
    tailError: tail.error,
    loading,
    failed,
    loadOlder: () => void load('older'),
    loadNewer: () => void load('newer'),
  }
}
