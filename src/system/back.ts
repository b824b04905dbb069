import { useCanGoBack, useRouter } from '@tanstack/react-router'

/** §2: back in history if there is an entry, otherwise to `fallback`, with the current query. */
export const useBack = (fallback: string) => {
  const router = useRouter()
  const canGoBack = useCanGoBack()
  return () => {
    if (canGoBack) router.history.back()
    else void router.navigate({ to: fallback, search: true })
  }
}
