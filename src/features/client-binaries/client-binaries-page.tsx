import { useSuspenseQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import { button, nav } from 'styled-system/recipes'
import { clientBinariesQuery } from '../../api/queries/client-binaries'
import type { LoaderArgs } from '../../system/guard'
import { useSystem } from '../../system/system'
import { Icon } from '../../ui/icon'
import { EmptyState } from '../../ui/notice'
import { Columns, Page, PageHead } from '../../ui/page'
import { BinaryFacts } from './binary-facts'
import { InstallPanel } from './install-panel'
import { PlatformsPanel } from './platforms-panel'
import { VerificationPanel } from './verification-panel'

const lead = css({ color: 'muted', maxW: 'form', pb: '16' })
const facts = css({ pb: '16' })

export const load = ({ context: { api, queryClient } }: LoaderArgs) => queryClient.ensureQueryData(clientBinariesQuery(api))

/** §1, §2: the device clients, with their checksums and signatures. */
export default function ClientBinariesPage() {
  const { api } = useSystem()
  const { data: binaries } = useSuspenseQuery(clientBinariesQuery(api))
  const [binary] = binaries
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
            <p className={lead}>
              One program for every device, in one file. It enrolls the device, installs only releases signed with a trusted key,
              and rolls back when an update fails.
            </p>
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
