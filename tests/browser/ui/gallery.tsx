import { useState } from 'react'
import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import { link, nav } from 'styled-system/recipes'
import { Avatar } from '../../../src/ui/icon/avatar'
import { Badge, Kbd } from '../../../src/ui/text/badge'
import { Button } from '../../../src/ui/button'
import { Chart } from '../../../src/ui/chart/chart'
import { Chip, Status } from '../../../src/ui/text/chip'
import { Checkbox, Switch } from '../../../src/ui/form/choice'
import { Code, Diff } from '../../../src/ui/text/code'
import { Combobox } from '../../../src/ui/form/combobox'
import * as Dialog from '../../../src/ui/overlay/dialog'
import { BulkBar, CornerButton, Dock, DockRow, FilterChip } from '../../../src/ui/overlay/dock'
import * as Drawer from '../../../src/ui/overlay/drawer'
import { FacetStrip } from '../../../src/ui/list/facets'
import { SegmentField } from '../../../src/ui/form/choice-field'
import { ReadOnlyField } from '../../../src/ui/form/field'
import { FileField } from '../../../src/ui/form/file-field'
import { Form, FormFooter, Pair } from '../../../src/ui/form/form'
import { ComboboxField, MultiSelectField, SelectField } from '../../../src/ui/form/select-field'
import { NumberField, TextareaField, TextField } from '../../../src/ui/form/text-field'
import { LevelsField } from '../../../src/ui/form/levels-field'
import { SecondsField } from '../../../src/ui/form/seconds-field'
import { Icon } from '../../../src/ui/icon/icon'
import { IconButton } from '../../../src/ui/icon/icon-button'
import { Input, SearchInput } from '../../../src/ui/form/input'
import type { TagColor } from '../../../src/ui/text/kind'
import { FactStrip, Figures, Pairs } from '../../../src/ui/layout/facts'
import { Mark, Wordmark } from '../../../src/ui/icon/mark'
import * as Menu from '../../../src/ui/overlay/menu'
import { Banner, Callout, EmptyState, ErrorBox } from '../../../src/ui/layout/notice'
import { Columns, Page, PageHead, ToolRow } from '../../../src/ui/layout/page'
import { Panel, PanelRow } from '../../../src/ui/layout/panel'
import { Progress } from '../../../src/ui/layout/progress'
import { StackedBar } from '../../../src/ui/chart/stacked-bar'
import { ProofChip, ProofPart } from '../../../src/ui/text/proof-chip'
import { ScaleBar } from '../../../src/ui/chart/scale-bar'
import { Segment } from '../../../src/ui/form/segment'
import { Select } from '../../../src/ui/form/select'
import { Shape } from '../../../src/ui/layout/shape'
import type { ShapeName } from '../../../src/ui/layout/shape'
import { Skeleton } from '../../../src/ui/layout/skeleton'
import { TabLinks, tabClass } from '../../../src/ui/layout/tab-links'
import * as Table from '../../../src/ui/list/table'
import { Tag, Tags } from '../../../src/ui/text/tag'
import { Phases, Timeline } from '../../../src/ui/layout/timeline'
import { toaster, Toaster } from '../../../src/ui/overlay/toast'
import { Trace } from '../../../src/ui/layout/trace'

const row = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8' })
const grid = css({ display: 'grid', gap: '24', gridTemplateColumns: { base: 'minmax(0, 1fr)', lg: 'repeat(3, minmax(0, 1fr))' } })
const stack = css({ display: 'grid', gap: '12', alignContent: 'start', minW: '0' })
const caption = css({ textStyle: 'caption', color: 'muted' })
const words = css({ display: 'grid', gridTemplateColumns: 'repeat(3, minmax(0, 1fr))', gap: '6' })

const Sample = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={stack} aria-label={title}>
    <h2 className={caption}>{title}</h2>
    {children}
  </section>
)

const shapes: [ShapeName, string][] = [
  ['online', 'Online'],
  ['late', 'Late'],
  ['offline', 'Offline'],
  ['never', 'Never seen'],
  ['success', 'Succeeded'],
  ['error', 'Failed'],
  ['warning', 'Warning'],
  ['info', 'Notice'],
  ['running', 'Running'],
  ['waiting', 'Waiting'],
  ['back', 'Rolled back'],
  ['paused', 'Paused'],
  ['draft', 'Draft'],
  ['none', 'Unknown'],
  ['notreached', 'Not reached'],
]

const tags: TagColor[] = ['stone', 'clay', 'ochre', 'moss', 'fern', 'lagoon', 'sky', 'iris', 'bloom', 'rose']
const fruits = ['Apple', 'Blackcurrant', 'Cherry', 'Damson', 'Élderberry', 'Fig', 'Gooseberry', 'Hawthorn', 'Medlar'].map(
  (label) => ({
    value: label.toLowerCase(),
    label,
  }),
)
const modes = [
  { value: 'ab', label: 'A/B rootfs' },
  { value: 'file', label: 'File' },
]

const Buttons = () => (
  <Sample title="Buttons">
    {(['primary', 'secondary', 'ghost'] as const).map((variant) => (
      <div key={variant} className={row}>
        <Button variant={variant}>Save</Button>
        <Button variant={variant} icon={<Icon name="plus" />}>
          Add
        </Button>
        <Button variant={variant} busy busyLabel="Saving...">
          Save
        </Button>
        <Button variant={variant} disabled>
          Save
        </Button>
      </div>
    ))}
    <div className={row}>
      <Button variant="danger">Revoke release</Button>
      <Button variant="dangerOutline">Halt and roll back</Button>
      <Button size="small">Small</Button>
      <IconButton icon="more" label="More" />
      <Button refused="Needs “manage releases”. Roles that have it: owner, admin, developer.">Refused</Button>
    </div>
  </Sample>
)

const Inputs = () => (
  <Sample title="Inputs">
    <div className={row}>
      <SearchInput label="Filter by name" end={<Kbd>/</Kbd>} small />
      <Input aria-label="Disabled" defaultValue="20500" disabled />
      <Input aria-label="Wrong" defaultValue="Orchard" aria-invalid />
    </div>
    <div className={row}>
      <Select label="Update mode" items={modes} defaultValue="ab" />
      <Select
        label="Interval"
        small
        items={[{ value: '10', label: '10 s' }]}
        defaultValue="10"
        icon={<Icon name="refresh" size={14} />}
      />
      <Combobox label="Fruit" items={fruits} placeholder="Choose a fruit" />
    </div>
    <div className={row}>
      <Checkbox>Off</Checkbox>
      <Checkbox defaultChecked>On</Checkbox>
      <Checkbox mixed>Mixed</Checkbox>
      <Switch aria-label="Off switch" />
      <Switch defaultChecked>Beta</Switch>
      <Segment
        label="Range"
        defaultValue="24"
        items={[
          { value: '1', label: '1 h' },
          { value: '24', label: '24 h' },
          { value: '7', label: '7 d' },
        ]}
      />
    </div>
  </Sample>
)

const States = () => (
  <>
    <Sample title="Shapes: form first, colour second">
      <div className={words}>
        {shapes.map(([name, word]) => (
          <Status key={name} shape={name}>
            {word}
          </Status>
        ))}
      </div>
    </Sample>
    <Sample title="Chips, proof, tags">
      <div className={row}>
        <Chip shape="success">Succeeded</Chip>
        <Chip shape="error">Failed: no_space</Chip>
        <Chip shape="warning">Quarantined</Chip>
        <Chip shape="running">Installing</Chip>
        <Chip shape="waiting">Held: window closed</Chip>
        <Chip shape="draft">Draft</Chip>
      </div>
      <ProofChip icon="shieldok" verdict={<ProofPart kind="success">verified in this browser</ProofPart>}>
        Signed by <b>release-2026</b>
      </ProofChip>
      <div className={row}>
        {tags.map((color) => (
          <Tag key={color} color={color}>
            {color}
          </Tag>
        ))}
        <Badge>4</Badge>
        <Badge stage>BETA</Badge>
        <Kbd>⌘K</Kbd>
        <Avatar email="ines.q@example.com" label="ines.q@example.com" />
      </div>
    </Sample>
    <Sample title="Progress: in flight, done, failed, waiting, parts">
      <Progress value={0.62} label="Download">
        62 %
      </Progress>
      <Progress value={1} kind="success" label="Done">
        done
      </Progress>
      <Progress value={0.48} kind="error" label="Failed">
        no_space
      </Progress>
      <Progress label="Unknown">verifying</Progress>
      <StackedBar
        label="Devices"
        total={514}
        parts={[
          { label: 'succeeded', count: 301, kind: 'success' },
          { label: 'failed', count: 4, kind: 'error' },
          { label: 'running', count: 46, kind: 'info' },
        ]}
      >
        301 of 514
      </StackedBar>
    </Sample>
  </>
)

const Floating = () => (
  <Sample title="Floating">
    <div className={row}>
      <Menu.Root>
        <Menu.Trigger asChild>
          <Button>Actions</Button>
        </Menu.Trigger>
        <Menu.Content>
          <Menu.Item value="check">
            <Icon name="refresh" /> Check now <Kbd>C</Kbd>
          </Menu.Item>
          <Menu.Item value="reboot">
            <Icon name="power" /> Reboot
          </Menu.Item>
          <Menu.Item value="pause" disabled>
            <Icon name="pause" /> Pause updates…
          </Menu.Item>
          <Menu.Separator />
          <Menu.Item value="decommission" data-danger>
            <Icon name="x" /> Decommission…
          </Menu.Item>
        </Menu.Content>
      </Menu.Root>
      <Dialog.Root>
        <Dialog.Trigger asChild>
          <Button variant="dangerOutline">Revoke…</Button>
        </Dialog.Trigger>
        <Dialog.Window
          title="Revoke Gateway 2.5.0?"
          description="No device will install it again. 428 devices keep running it."
          footer={
            <>
              <Dialog.CloseTrigger asChild>
                <Button>Cancel</Button>
              </Dialog.CloseTrigger>
              <Button variant="danger">Revoke release</Button>
            </>
          }
        >
          <TextField label="Reason" required />
          <SelectField label="Kind" items={modes} />
        </Dialog.Window>
      </Dialog.Root>
      <Drawer.Root>
        <Drawer.Trigger asChild>
          <Button>Entry 805</Button>
        </Drawer.Trigger>
        <Drawer.Panel title="Entry 805">
          <Pairs
            facts={[
              { label: 'Action', value: <code>project.settings_update</code> },
              { label: 'Actor', value: 'Ines Quill' },
            ]}
          />
          <Diff
            label="Changes"
            lines={[
              { path: 'settings.max_concurrent_updates', before: '50', after: '10' },
              { path: 'settings.disk', after: '{ "warning": 80 }' },
            ]}
          />
        </Drawer.Panel>
      </Drawer.Root>
      <Button
        onClick={() =>
          toaster.create({ type: 'success', title: 'Rollout #20 paused', action: { label: 'Undo', onClick: () => {} } })
        }
      >
        Toast
      </Button>
    </div>
    <Banner kind="warning">Key release-2025 expires in 11 days.</Banner>
    <Banner kind="error" action={{ label: 'Try again', onClick: () => {} }}>
      The last refresh failed.
    </Banner>
    <Banner kind="info">Wave 4 opens when wave 3 has soaked.</Banner>
    <Callout kind="warning" shape="waiting">
      <b>Waiting for the maintenance window</b>
      <br />
      Opens 22:00 device time, in 8 h 19 min.
    </Callout>
  </Sample>
)

const devices = [
  {
    name: 'gw-0417-north',
    shape: 'online',
    tag: ['fern', 'orchard-a'],
    state: 'running',
    word: 'Downloading',
    value: 0.62,
    seen: '18 s ago',
  },
  {
    name: 'gw-0418-north',
    shape: 'online',
    tag: ['moss', 'orchard-b'],
    state: 'running',
    word: 'Installing',
    value: 0.88,
    seen: '41 s ago',
  },
  { name: 'gw-0441-mill', shape: 'late', tag: ['sky', 'mill'], state: 'waiting', word: 'Held: window closed', seen: '3 min ago' },
  { name: 'gw-0452-weir', shape: 'never', tag: ['lagoon', 'weir'], state: 'none', word: 'Unknown', seen: 'Never', dimmed: true },
] as const

const Rows = () => {
  const [selected, setSelected] = useState<readonly string[]>(['gw-0418-north'])
  const all = selected.length === devices.length
  return (
    <Table.Root caption="Devices">
      <Table.Head>
        <Table.Th className={css({ w: '44' })}>
          <Checkbox
            aria-label="Select all"
            checked={all}
            mixed={!all && selected.length > 0}
            onChange={() => setSelected(all ? [] : devices.map((d) => d.name))}
          />
        </Table.Th>
        <Table.Th sorted="ascending" onSort={() => {}}>
          Name
        </Table.Th>
        <Table.Th>Tags</Table.Th>
        <Table.Th>Version</Table.Th>
        <Table.Th>Update</Table.Th>
        <Table.Th align="end">Last seen</Table.Th>
        <Table.Th className={css({ w: '56' })}>
          <span className={css({ srOnly: true })}>Actions</span>
        </Table.Th>
      </Table.Head>
      <Table.Body>
        {devices.map((device) => (
          <Table.Row key={device.name} selected={selected.includes(device.name)} dimmed={'dimmed' in device} onOpen={() => {}}>
            <Table.Cell menu>
              <Checkbox
                aria-label={`Select ${device.name}`}
                checked={selected.includes(device.name)}
                onChange={() =>
                  setSelected(
                    selected.includes(device.name) ? selected.filter((n) => n !== device.name) : [...selected, device.name],
                  )
                }
              />
            </Table.Cell>
            <Table.Cell mono>
              <Table.Name>
                <Shape name={device.shape} label={device.shape} />
                <a href="#name" className={link()} data-ink>
                  {device.name}
                </a>
              </Table.Name>
            </Table.Cell>
            <Table.Cell>
              <Tags tags={[{ id: device.tag[1], name: device.tag[1], colour: device.tag[0] }]} />
            </Table.Cell>
            <Table.Cell mono>2.4.1 → 2.5.0</Table.Cell>
            <Table.Cell>
              <Status shape={device.state}>{device.word}</Status>
            </Table.Cell>
            <Table.Cell align="end" quiet>
              {device.seen}
            </Table.Cell>
            <Table.Cell menu align="end">
              <IconButton icon="more" label={`Actions for ${device.name}`} size="small" variant="ghost" hint={false} />
            </Table.Cell>
          </Table.Row>
        ))}
      </Table.Body>
    </Table.Root>
  )
}

const times = Array.from({ length: 97 }, (_, i) => 1_795_000_000 + i * 900)
const wave = times.map((_, i) => (i > 40 && i < 44 ? null : 55 + Math.sin(i / 9) * 8 + (i % 5)))
const facets = [
  {
    field: 'connectivity',
    label: 'Connectivity',
    values: [
      { value: 'online', label: 'Online', count: 1197, kind: 'success', shape: 'online', chosen: true },
      { value: 'late', label: 'Late', count: 38, kind: 'warning', shape: 'late' },
      { value: 'offline', label: 'Offline', count: 47, kind: 'rest', shape: 'offline' },
      { value: 'never', label: 'Never seen', count: 2, kind: 'quiet', shape: 'never' },
    ],
  },
  {
    field: 'version',
    label: 'Version',
    values: [
      { value: '2.5.0', label: '2.5.0', count: 428, step: 0, mono: true },
      { value: '2.4.1', label: '2.4.1', count: 817, step: 1, mono: true },
      { value: '2.3.8', label: '2.3.8', count: 31, step: 2, mono: true },
      { value: '2.5.1-rc.2', label: '2.5.1-rc.2', count: 8, step: 3, mono: true },
    ],
  },
  {
    field: 'tag',
    label: 'Tag',
    values: [
      { value: 'a', label: 'orchard-a', count: 512, tag: 'fern' },
      { value: 'b', label: 'orchard-b', count: 431, tag: 'moss' },
      { value: 'm', label: 'mill', count: 203, tag: 'sky' },
    ],
  },
] as const

const Data = () => (
  <>
    <FacetStrip facets={facets} />
    <Rows />
    <FactStrip
      facts={[
        {
          label: 'Installed',
          value: (
            <>
              <code>2.4.1</code> <small>slot a, confirmed</small>
            </>
          ),
        },
        { label: 'Last seen', value: '3 min ago' },
        { label: 'Next check-in', value: 'overdue 1 min' },
        { label: 'Model', value: <code>gw-2</code> },
      ]}
    />
    <Figures
      facts={[
        { label: 'Devices', value: '1,284', note: '+12 this week' },
        {
          label: (
            <>
              <Shape name="online" /> Online
            </>
          ),
          key: 'online',
          value: '1,197',
          note: '93.2 %',
        },
        {
          label: (
            <>
              <Shape name="late" /> Late
            </>
          ),
          key: 'late',
          value: '38',
          note: '25 on lte-only',
        },
      ]}
    />
    <Columns
      side={
        <Panel title="Why is this device not updating?" flush>
          <Trace
            kind="warning"
            shape="waiting"
            answer="Waiting for the maintenance window"
            until="Opens today 22:00 device time, in 8 h 19 min."
            checks={[
              { name: 'Device is active', mark: 'passed', observed: 'active' },
              { name: 'A rollout matches', mark: 'passed', observed: 'Gateway 2.5.0 #20' },
              { name: 'Maintenance window', mark: 'stopped', observed: '22:00–04:00' },
              { name: 'A slot is free', mark: 'notreached' },
            ]}
          />
        </Panel>
      }
    >
      <Panel title="Gateway 2.5.0 #20" aside={<Button size="small">Pause</Button>}>
        <ScaleBar
          label="Rollout"
          stages={[
            { name: 'Wave 1', until: 1, parts: [{ kind: 'success', label: 'succeeded', share: 1 }] },
            { name: 'Wave 2', until: 10, parts: [{ kind: 'success', label: 'succeeded', share: 1 }] },
            {
              name: 'Wave 3',
              until: 50,
              current: true,
              parts: [
                { kind: 'success', label: 'succeeded', share: 0.585 },
                { kind: 'error', label: 'failed', share: 0.008 },
                { kind: 'info', label: 'running', share: 0.09 },
              ],
            },
            { name: 'Wave 4', until: 100, parts: [] },
          ]}
        />
      </Panel>
      <Phases
        label="Attempt 1"
        phases={[
          { name: 'queued', duration: '2 s', state: 'passed' },
          { name: 'offered', duration: '41 s', state: 'passed' },
          { name: 'downloading', duration: '1 min 04 s', state: 'passed' },
          { name: 'installing', duration: '38 s', state: 'passed' },
          { name: 'validating', duration: '5 min', state: 'stopped' },
        ]}
      />
      <Timeline
        label="Events"
        events={[
          {
            key: 'a',
            time: '22:11:22',
            shape: 'back',
            title: 'Rollback completed',
            text: 'slot a is running again',
            value: 'boot 7c1e',
          },
          {
            key: 'b',
            time: '22:10:49',
            shape: 'error',
            title: 'Validation failed',
            text: 'post_reboot_failed',
            detail: 'health-check: modbusd did not answer in 300 s (3 of 3)',
          },
          { key: 'c', time: '22:05:47', title: 'Booted', text: 'slot b, boot counter 1', value: 'boot 51d0' },
          { key: 'd', time: '22:04:31', title: 'Verification passed', text: 'key 9f3a 61c0, SHA-256 equal' },
        ]}
      />
      <div
        className={css({
          display: 'grid',
          gap: '16',
          gridTemplateColumns: { base: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
        })}
      >
        <Chart
          title="CPU temperature"
          present={
            <>
              <b>54</b> °C p50
            </>
          }
          times={times}
          unit="°C"
          series={[{ label: 'p50', values: wave, upper: wave.map((v) => (v === null ? null : v + 7)) }]}
          limits={[75]}
          marks={[{ at: times[60] ?? 0, label: 'Gateway 2.5.0 released' }]}
        />
        <Chart title="Signal" times={[]} series={[]} />
      </div>
      <Code
        label="Configuration"
        json
        marked={[3]}
        code={'{\n  "schema": "teasel.device-config/1",\n  "polling_interval_s": 3600,\n  "enabled": true\n}'}
      />
    </Columns>
  </>
)

const Forms = () => {
  const [chosen, setChosen] = useState<string[]>(['apple', 'fig'])
  return (
    <Form onSubmit={() => {}} footer={<FormFooter onCancel={() => {}} note="Required fields have an asterisk." />}>
      <TextField label="Name" required defaultValue="Orchard Gateways" error="A project with this name already exists" />
      <TextareaField
        label="Description"
        hint="Shown on the card."
        limit={512}
        defaultValue="Field gateways of the irrigation network."
      />
      <Pair>
        <NumberField label="Polling interval" unit="s" defaultValue="3600" hint="Between 30 seconds and 7 days" />
        <SelectField label="Update mode" required items={modes} defaultValue="ab" />
      </Pair>
      <SecondsField label="Quarantine" required defaultValue={86_400} />
      <LevelsField
        unit="°C"
        range={[-40, 150]}
        lower={{ name: 'warm', label: 'Warning from', handle: 'Warning handle', kind: 'warning', defaultValue: 75 }}
        upper={{ name: 'hot', label: 'Critical from', handle: 'Critical handle', kind: 'error', defaultValue: 85 }}
      >
        <NumberField label="Clear after" unit="s" defaultValue={300} />
      </LevelsField>
      <Switch hint="The person who asks for a rollout cannot approve it.">Rollouts need approval by a second person</Switch>
      <SegmentField
        label="Enrollment"
        defaultValue="group"
        items={[
          { value: 'group', label: 'Group token' },
          { value: 'device', label: 'Pre-enrolled device' },
        ]}
      />
      <ComboboxField label="Country" items={fruits} />
      <MultiSelectField
        label="Applications"
        hint="Select all that apply"
        items={fruits}
        value={chosen}
        onValueChange={setChosen}
      />
      <FileField label="Files" multiple limitText="One file can have up to 3.5 GB." />
      <ReadOnlyField label="Owner" info="Who owns it cannot be changed here.">
        <Icon name="org" /> Hedgerow Instruments
      </ReadOnlyField>
    </Form>
  )
}

/** Every component once, for screenshots and checks. */
export const Gallery = () => (
  <div className={nav().app}>
    <header className={nav().header}>
      <Wordmark />
      <Badge stage>BETA</Badge>
      <span className={nav().slash} />
      <nav className={nav().links} aria-label="Links">
        <a href="#docs" className={nav().link}>
          Docs
        </a>
        <Avatar email="ines.q@example.com" />
      </nav>
    </header>
    <div className={nav().body}>
      <aside className={nav().side}>
        <a href="#projects" className={nav().item}>
          <Icon name="back" /> Projects
        </a>
        <hr className={nav().sideRule} />
        <span className={nav().sideTitle}>Orchard Gateways</span>
        <a href="#monitor" className={nav().item}>
          <Icon name="monitor" /> Monitor
        </a>
        <a href="#devices" className={nav().item} aria-current="page">
          <Icon name="chip" /> Devices
        </a>
      </aside>
      <main className={nav().main}>
        <Page>
          <PageHead
            crumbs={[
              <a key="a" href="#devices">
                Devices
              </a>,
              'All',
            ]}
            title="Devices"
            count="1,284"
            chips={<Chip shape="late">Late</Chip>}
            actions={
              <>
                <Button icon={<Icon name="doc" />}>Config Generator</Button>
                <Button variant="primary" icon={<Icon name="plus" />}>
                  Add Device
                </Button>
              </>
            }
          />
          <ToolRow>
            <FilterChip field="Lifecycle" value="active" onClear={() => {}} />
            <FilterChip field="Tag" value="not sys.retired" onClear={() => {}} />
          </ToolRow>
          <TabLinks label="Sections">
            <a href="#status" className={tabClass()} aria-current="page">
              Status
            </a>
            <a href="#assets" className={tabClass()}>
              Assets <Badge>4</Badge>
            </a>
          </TabLinks>
          <div className={grid}>
            <Buttons />
            <Inputs />
            <States />
            <Floating />
          </div>
          <div className={stack}>
            <Data />
            <Forms />
            <div className={grid}>
              <EmptyState title="No projects" action={<Button variant="primary">Add Project</Button>}>
                Get started by adding a project.
              </EmptyState>
              <ErrorBox title="Something Went Wrong, Please Try Again Later" onRetry={() => {}} requestId="req_01JD4WB7KQ">
                The device list did not load.
              </ErrorBox>
              <Panel title="Loading" flush>
                <PanelRow>
                  <Skeleton width="half" />
                </PanelRow>
                <PanelRow>
                  <Mark size={64} look="busy" label="Loading" />
                </PanelRow>
              </Panel>
            </div>
          </div>
        </Page>
      </main>
    </div>
    <BulkBar shortcut="." count="4 selected" onClear={() => {}}>
      <Button size="small" icon={<Icon name="tag" size={14} />}>
        Tags
      </Button>
    </BulkBar>
    <Dock
      title="Upload Progress"
      note="1 of 4 done"
      collapsed={false}
      onToggle={() => {}}
      onClose={() => {}}
      closeLabel="close file upload progress"
    >
      <DockRow
        shape={<Shape name="running" />}
        name="delta-2.5.0.bin"
        text="471.2 MB of 1.21 GB · 38 %"
        bar={<Progress value={0.38} label="delta-2.5.0.bin" />}
      />
    </Dock>
    <CornerButton
      icon="flask"
      label="Experimental mode is on"
      hint="Shows features that are being tested"
      word="Experimental"
      name="Experimental mode"
      pressed
      onClick={() => {}}
    />
    <Toaster />
  </div>
)
