import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { css } from 'styled-system/css'
import { button, cards, nav } from 'styled-system/recipes'
import { projectsQuery } from '../../api/queries/accounts/projects'
import { every, paces } from '../../api/refresh'
import { Allowed } from '../../system/scope/allowed'
import { useAllowed, useGrants } from '../../system/scope/grants'
import { RefreshFailed } from '../../system/refresh/refresh-failed'
import { scopeFromPath } from '../../system/scope/scope'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'
import { SearchInput } from '../../ui/form/input'
import { EmptyState } from '../../ui/layout/notice'
import { Page, PageHead } from '../../ui/layout/page'
import { ProjectCard } from './project-card'
import { named, newestFirst } from './project-order'

const failed = css({ mb: '16', _empty: { mb: '0' } })
const route = getRouteApi('/organizations/$organizationId/projects/')

const AddProject = () => {
  const params = route.useParams()
  return (
    <Allowed needs={['project:create']}>
      <Link to="/organizations/$organizationId/projects/add" params={params} className={button({ variant: 'primary' })}>
        <Icon name="plus" />
        Add Project
      </Link>
    </Allowed>
  )
}

/** §2: the projects of a scope. */
export default function ProjectsPage() {
  const { api } = useSystem()
  const { organizationId } = route.useParams()
  const query = useSuspenseQuery({
    ...projectsQuery(api, scopeFromPath(organizationId)),
    refetchInterval: every(paces.list),
  })
  const projects = query.data
  const mayCreate = useAllowed('project:create')
  const grants = useGrants()
  const isBlind = grants?.includes('project:view') === false
  const [typed, setTyped] = useState('')
  const wanted = useDeferredValue(typed)
  const shown = newestFirst(projects).filter(named(wanted))
  const filter = <SearchInput label="Filter by name" value={typed} onChange={(event) => setTyped(event.target.value)} />
  return (
    <main className={nav().main}>
      <Page width="cards">
        <PageHead
          title="Projects"
          count={projects.length || undefined}
          filter={filter}
          actions={projects.length > 0 ? <AddProject /> : undefined}
        />
        <div className={failed}>
          <RefreshFailed query={query} />
        </div>
        {projects.length === 0 ? (
          <EmptyState title="No projects" action={<AddProject />}>
            {mayCreate ? 'Get started by adding a project.' : isBlind ? 'Your role may not view projects.' : undefined}
          </EmptyState>
        ) : shown.length === 0 ? (
          <EmptyState small title="Not Found" action={<Button onClick={() => setTyped('')}>Clear filters</Button>} />
        ) : (
          <ul className={cards().grid} aria-label="Projects">
            {shown.map((project) => (
              <ProjectCard key={project.id} project={project} organizationId={organizationId} />
            ))}
          </ul>
        )}
      </Page>
    </main>
  )
}
