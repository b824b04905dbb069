import { createFileRoute } from '@tanstack/react-router'
import { mask, optional, string, type } from 'superstruct'
import { lazyLoader, lazyPage } from '../../../../../../../system/lazy'

const Search = type({ q: optional(string()) })

const page = () => import('../../../../../../../features/releases/releases-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases/list/')({
  staticData: { label: 'Releases' },
  validateSearch: (search) => (Search.is(search) ? mask(search, Search) : {}),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
