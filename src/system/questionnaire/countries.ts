import { matching } from '../../ui/form/matching'
import type { Option } from '../../ui/form/option'

/** ISO 3166-1, all 249 codes. */
const codes =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG ' +
  'CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL ' +
  'GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA ' +
  'LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP ' +
  'NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV ' +
  'SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'

/** §3: regardless of the browser's own list. */
const overrides: Readonly<Record<string, string>> = { TW: 'Taiwan', US: 'United States' }

const names = new Intl.DisplayNames('en', { type: 'region' })
const shortNames = new Intl.DisplayNames('en', { type: 'region', style: 'short' })
const nameOf = (code: string) => overrides[code] ?? names.of(code) ?? code

/** Ignores accents and case. */
const collator = new Intl.Collator('en', { sensitivity: 'base' })

export const countries: readonly Option[] = codes
  .split(' ')
  .map((code) => ({ value: code, label: nameOf(code) }))
  .toSorted((a, b) => collator.compare(a.label, b.label))

/**
 * §2: the code for a typed name, short name or code; otherwise of the only country that begins with it or contains it. Empty
 * text gives none.
 */
export const countryOf = (typed: string): string | undefined => {
  const wanted = typed.trim()
  if (wanted === '') return ''
  const named = countries.find(({ value, label }) =>
    [label, value, shortNames.of(value) ?? value].some((name) => collator.compare(name, wanted) === 0),
  )
  if (named) return named.value
  const fitting = matching(countries, wanted)
  const beginning = fitting.filter(({ label }) => collator.compare(label.slice(0, wanted.length), wanted) === 0)
  return [beginning, fitting].find(({ length }) => length === 1)?.[0]?.value
}
