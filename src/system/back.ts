import { useCanGoBack, useRouter } from '@tanstack/react-router'

/** §2: back in history when there is one, else to `fallback`, with the query as it is. */
export const useBack = (fallback: string) => {
  const router = useRouter()
  const canGoBack = useCanGoBack()
  return () => {
    if (canGoBack) router.history.back()
    else void router.navigate({ to: fallback, search: true })
  }
}
