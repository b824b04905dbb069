import { createFileRoute } from '@tanstack/react-router'
import { mask, optional, type } from 'superstruct'
import { Range } from '../../../../../features/monitor/ranges'
import { lazyLoader, lazyPage } from '../../../../../system/lazy'

const Search = type({ range: optional(Range) })

const page = () => import('../../../../../features/monitor/monitor-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/monitor')({
  staticData: { label: 'Monitor' },
  validateSearch: (search) => (Search.is(search) ? mask(search, Search) : {}),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
