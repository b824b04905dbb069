import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { css } from 'styled-system/css'
import { button, nav } from 'styled-system/recipes'
import type { ClientBinary } from '../../../contract/fleet/client-binaries'
import { clientBinariesQuery } from '../../api/queries/fleet/client-binaries'
import type { LoaderArgs } from '../../system/scope/guard'
import { useSystem } from '../../system/system'
import { Icon } from '../../ui/icon/icon'
import { EmptyState } from '../../ui/layout/notice'
import { Columns, Page, PageHead } from '../../ui/layout/page'
import { Segment } from '../../ui/form/segment'
import { BinaryFacts } from './binary-facts'
import { InstallPanel } from './install-panel'
import { PlatformsPanel } from './platforms-panel'
import { VerificationPanel } from './verification-panel'

const lead = css({ color: 'muted', maxW: 'form', py: '16' })
const facts = css({ pb: '16' })

export const load = ({ context: { api, queryClient } }: LoaderArgs) => queryClient.ensureQueryData(clientBinariesQuery(api))

const kinds: Record<ClientBinary['kind'], { label: string; text: string }> = {
  device_client: {
    label: 'Device agent',
    text: 'One program for every device, in one file. It enrolls the device, installs only releases signed with a trusted key, and rolls back when an update fails.',
  },
  cli: {
    label: 'Command line',
    text: 'One program for pipelines and terminals, in one file. It uploads and signs releases, starts rollouts and waits for them, and lists devices, with an access token of a project.',
  },
}

/** §1, §2: the device client and the command line, with their checksums and signatures. */
export default function ClientBinariesPage() {
  const { api } = useSystem()
  const { data: binaries } = useSuspenseQuery(clientBinariesQuery(api))
  const [chosen, setChosen] = useState<ClientBinary['kind']>('device_client')
  const binary = binaries.find(({ kind }) => kind === chosen) ?? binaries[0]
  return (
    <main className={nav().main}>
      <Page width="cards">
        <PageHead
          title="Client Binaries"
          actions={
            binary && (
              <a href={binary.url} download={binary.file_name} className={button({ variant: 'primary' })}>
                <Icon name="dl" />
                Download {binary.file_name}
              </a>
            )
          }
        />
        {binary ? (
          <>
            {binaries.length > 1 && (
              <Segment
                label="Program"
                items={binaries.map(({ kind }) => ({ value: kind, label: kinds[kind].label }))}
                value={binary.kind}
                onValueChange={setChosen}
              />
            )}
            <p className={lead}>{kinds[binary.kind].text}</p>
            <div className={facts}>
              <BinaryFacts binary={binary} />
            </div>
            <Columns side={<VerificationPanel binary={binary} />}>
              <InstallPanel binary={binary} />
              <PlatformsPanel platforms={binary.platforms} />
            </Columns>
          </>
        ) : (
          <EmptyState title="Not Found">
            This server was started without a build of the client. Create one with npm run build.
          </EmptyState>
        )}
      </Page>
    </main>
  )
}
