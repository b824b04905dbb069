import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import '../../../src/theme/theme.css'
import '../../../src/ui/rest'
import { AnswerFields } from '../../../src/system/questionnaire/answer-fields'
import { type Answers, blank } from '../../../src/system/questionnaire/answers'

const Sample = ({ heard }: { heard: (answers: Answers) => void }) => {
  const [answers, setAnswers] = useState<Answers>(blank)
  const write = (change: Partial<Answers>) => {
    setAnswers((before) => ({ ...before, ...change }))
    heard({ ...answers, ...change })
  }
  return <AnswerFields answers={answers} write={write} other={answers.role === 'other'} roleProblem={undefined} />
}

/** The fields as in the modal and in the account; reports each change. */
const mount = () => {
  const host = document.body.appendChild(document.createElement('div'))
  const root = createRoot(host)
  const heard = vi.fn<(answers: Answers) => void>()
  root.render(<Sample heard={heard} />)
  onTestFinished(() => {
    root.unmount()
    host.remove()
  })
  return () => heard.mock.lastCall?.[0]
}

const box = (name: string) => page.getByRole('combobox', { name, exact: true })
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const role = 'What best describes your role?'
const applications = 'What applications do you plan to use Teasel for?'

/** The options of a list, in order. */
const offered = async (name: string) => {
  await box(name).click()
  await expect.element(page.getByRole('listbox')).toBeVisible()
  const values = page
    .getByRole('option')
    .elements()
    .map((one) => one.getAttribute('data-value'))
  await userEvent.keyboard('{Escape}')
  await expect.element(page.getByRole('listbox')).not.toBeInTheDocument()
  return values
}

it('§2: has these eight fields, and the custom role only when the role is other', async () => {
  const answers = mount()
  const texts = ['First Name', 'Last Name', 'Company', 'LinkedIn Profile URL', 'City']
  for (const name of texts) {
    await field(name).fill(`my ${name}`)
    await expect.element(field(name)).toHaveValue(`my ${name}`)
  }
  await expect.element(box('Country')).toBeVisible()
  await expect.element(box(role)).toBeVisible()
  await expect.element(box(applications)).toHaveAccessibleDescription('Select all that apply')
  const specify = field('Please specify your role')
  await expect.element(specify).not.toBeInTheDocument()
  await box(role).fill('Other')
  await page.getByRole('option', { name: 'Other', exact: true }).click()
  await specify.fill('Boot archaeologist')
  expect(answers()).toMatchObject({
    first_name: 'my First Name',
    last_name: 'my Last Name',
    company_name: 'my Company',
    linkedin_url: 'my LinkedIn Profile URL',
    city: 'my City',
    role: 'other',
    custom_role: 'Boot archaeologist',
  })
  await box(role).fill('Student')
  await page.getByRole('option', { name: 'Student', exact: true }).click()
  await expect.element(specify).not.toBeInTheDocument()
})

it('§3: offers these roles', async () => {
  mount()
  expect(await offered(role)).toEqual([
    'embedded_developer',
    'firmware_engineer',
    'hardware_engineer',
    'fpga_asic_engineer',
    'software_engineer',
    'systems_engineer',
    'devops_sre',
    'cloud_engineer',
    'security_engineer',
    'security_researcher',
    'penetration_tester',
    'compliance_risk',
    'technical_architect',
    'engineering_manager',
    'technical_leadership',
    'automotive_engineer',
    'iot_engineer',
    'industrial_systems_engineer',
    'medical_device_engineer',
    'aerospace_defense_engineer',
    'student',
    'professor_academic',
    'independent_researcher',
    'hobbyist_tinkerer',
    'entrepreneur_startup',
    'owner_c_suite',
    'other',
  ])
})

it('§3: offers these applications', async () => {
  mount()
  expect(await offered(applications)).toEqual([
    'secure_boot_firmware_integrity',
    'firmware_signing_verification',
    'hardware_root_of_trust',
    'secure_key_storage_cryptography',
    'trusted_execution_environments',
    'secure_ota_updates',
    'supply_chain_security_sbom',
    'secure_debugging_jtag',
    'side_channel_fault_injection',
    'threat_modeling_risk_assessment',
    'secure_coding_embedded',
    'vulnerability_research_exploit',
    'secure_sdlc_best_practices',
    'compliance_regulatory_standards',
    'iot_consumer_device_security',
    'automotive_security',
    'medical_device_security',
    'industrial_critical_infrastructure',
    'aerospace_defense_security',
    'open_source_security_tools',
    'teasel_security_solutions',
    'security_cicd_integration',
    'secure_bootloader_development',
    'networking_security_experts',
    'sharing_security_challenges',
    'contributing_open_source_security',
    'other',
  ])
})

it('§3: a country is a code of the standard list; TW reads Taiwan and US United States', async () => {
  const answers = mount()
  for (const [typed, name, code] of [
    ['taiwan', 'Taiwan', 'TW'],
    ['united states', 'United States', 'US'],
    ['hungar', 'Hungary', 'HU'],
  ] as const) {
    await box('Country').fill(typed)
    await expect.element(page.getByRole('option', { name, exact: true })).toHaveAttribute('data-value', code)
    // §2: the typed text becomes the country on blur.
    await field('City').click()
    await expect.element(box('Country')).toHaveValue(name)
    expect(answers()?.country).toBe(code)
  }
})
