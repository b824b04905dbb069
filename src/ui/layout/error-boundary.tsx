import { Component } from 'react'
import type { ReactNode } from 'react'

/** Shows `instead` in place of a part that failed to render, and leaves the rest of the page unchanged. */
export class ErrorBoundary extends Component<{ instead: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }
  static getDerivedStateFromError = () => ({ failed: true })
  override render() {
    return this.state.failed ? this.props.instead : this.props.children
  }
}
