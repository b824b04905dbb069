import { product } from '../../../contract/core/limits'
import { applicationOptions, roleOptions } from '../../../contract/accounts/profile'
import type { Option } from '../../ui/form/option'

type Role = (typeof roleOptions)[number]
type Application = (typeof applicationOptions)[number]

const roleLabels: Readonly<Record<Role, string>> = {
  embedded_developer: 'Embedded developer',
  firmware_engineer: 'Firmware engineer',
  hardware_engineer: 'Hardware engineer',
  fpga_asic_engineer: 'FPGA or ASIC engineer',
  software_engineer: 'Software engineer',
  systems_engineer: 'Systems engineer',
  devops_sre: 'DevOps or site reliability engineer',
  cloud_engineer: 'Cloud engineer',
  security_engineer: 'Security engineer',
  security_researcher: 'Security researcher',
  penetration_tester: 'Penetration tester',
  compliance_risk: 'Compliance and risk',
  technical_architect: 'Technical architect',
  engineering_manager: 'Engineering manager',
  technical_leadership: 'Technical leadership',
  automotive_engineer: 'Automotive engineer',
  iot_engineer: 'IoT engineer',
  industrial_systems_engineer: 'Industrial systems engineer',
  medical_device_engineer: 'Medical device engineer',
  aerospace_defense_engineer: 'Aerospace or defense engineer',
  student: 'Student',
  professor_academic: 'Professor or academic',
  independent_researcher: 'Independent researcher',
  hobbyist_tinkerer: 'Hobbyist or tinkerer',
  entrepreneur_startup: 'Entrepreneur or start-up',
  owner_c_suite: 'Owner or C-suite',
  other: 'Other',
}

const applicationLabels: Readonly<Record<Application, string>> = {
  secure_boot_firmware_integrity: 'Secure boot and firmware integrity',
  firmware_signing_verification: 'Firmware signing and verification',
  hardware_root_of_trust: 'Hardware root of trust',
  secure_key_storage_cryptography: 'Secure key storage and cryptography',
  trusted_execution_environments: 'Trusted execution environments',
  secure_ota_updates: 'Secure OTA updates',
  supply_chain_security_sbom: 'Supply chain security and SBOM',
  secure_debugging_jtag: 'Secure debugging and JTAG',
  side_channel_fault_injection: 'Side channels and fault injection',
  threat_modeling_risk_assessment: 'Threat modeling and risk assessment',
  secure_coding_embedded: 'Secure coding for embedded systems',
  vulnerability_research_exploit: 'Vulnerability research and exploits',
  secure_sdlc_best_practices: 'Secure SDLC best practices',
  compliance_regulatory_standards: 'Compliance and regulatory standards',
  iot_consumer_device_security: 'IoT and consumer device security',
  automotive_security: 'Automotive security',
  medical_device_security: 'Medical device security',
  industrial_critical_infrastructure: 'Industrial and critical infrastructure',
  aerospace_defense_security: 'Aerospace and defense security',
  open_source_security_tools: 'Open source security tools',
  [`${product.slug}_security_solutions` as const]: `${product.name} security solutions`,
  security_cicd_integration: 'Security in CI/CD',
  secure_bootloader_development: 'Secure bootloader development',
  networking_security_experts: 'Networking with security experts',
  sharing_security_challenges: 'Sharing security challenges',
  contributing_open_source_security: 'Contributing to open source security',
  other: 'Other',
}

/** §3: in the order of the contract. */
export const roles: readonly Option<Role>[] = roleOptions.map((value) => ({ value, label: roleLabels[value] }))
export const applications: readonly Option<Application>[] = applicationOptions.map((value) => ({
  value,
  label: applicationLabels[value],
}))
