import { createFileRoute } from '@tanstack/react-router'
import { FullFailurePage } from '../features/session/failure-page'
import { lazyLoader, lazyPage } from '../system/page/lazy'

const page = () => import('../features/client-binaries/client-binaries-page')

export const Route = createFileRoute('/download-binaries')({
  staticData: { label: 'Client Binaries' },
  loader: lazyLoader(page),
  component: lazyPage(page),
  errorComponent: FullFailurePage,
})
