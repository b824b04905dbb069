import { product } from '../../../contract/core/limits'
import { maxProfileText } from '../../../contract/accounts/profile'
import { Pair } from '../../ui/form/form'
import { ComboboxField, MultiSelectField } from '../../ui/form/select-field'
import { TextField } from '../../ui/form/text-field'
import type { Answers } from './answers'
import { applications, roles } from './choices'
import { CountryField } from './country-field'

type Texts = 'first_name' | 'last_name' | 'company_name' | 'linkedin_url' | 'city'

type Props = {
  answers: Answers
  write: (change: Partial<Answers>) => void
  /** Whether the role is one that is not listed. */
  other: boolean
  roleProblem: string | undefined
  /** The server's error for a field. */
  problem?: (name: string) => string | undefined
}

/** §2: the questions, asked once by the modal and editable in the account (R9). */
export const AnswerFields = ({ answers, write, other, roleProblem, problem = () => undefined }: Props) => {
  const text = (name: Texts) => ({
    name,
    value: answers[name],
    maxLength: maxProfileText,
    error: problem(name),
    onChange: (event: { target: { value: string } }) => write({ [name]: event.target.value }),
  })
  return (
    <>
      <Pair>
        <TextField label="First Name" autoComplete="given-name" {...text('first_name')} />
        <TextField label="Last Name" autoComplete="family-name" {...text('last_name')} />
      </Pair>
      <Pair>
        <TextField label="Company" autoComplete="organization" {...text('company_name')} />
        <TextField label="LinkedIn Profile URL" inputMode="url" placeholder="https://" {...text('linkedin_url')} />
      </Pair>
      <Pair>
        <TextField label="City" autoComplete="address-level2" {...text('city')} />
        <CountryField value={answers.country} onValueChange={(country) => write({ country })} />
      </Pair>
      <ComboboxField
        label="What best describes your role?"
        items={roles}
        value={answers.role}
        onValueChange={(role) => write({ role })}
      />
      {other && (
        <TextField
          label="Please specify your role"
          value={answers.custom_role}
          onChange={(event) => write({ custom_role: event.target.value })}
          error={roleProblem}
        />
      )}
      <MultiSelectField
        label={`What applications do you plan to use ${product.name} for?`}
        hint="Select all that apply"
        items={applications}
        value={answers.platform_applications}
        onValueChange={(platform_applications) => write({ platform_applications })}
      />
    </>
  )
}
