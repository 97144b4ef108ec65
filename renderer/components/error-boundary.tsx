import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';

interface Props {
  /** A change of it clears the error, as when the person goes to another place. */
  readonly resetKey?: string;
  readonly children: ReactNode;
}

/** Keeps a fault in one part of the page from taking the rest with it. */
export class ErrorBoundary extends Component<Props, { failed: boolean; resetKey: string | undefined }> {
  override state = { failed: false, resetKey: this.props.resetKey };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  static getDerivedStateFromProps(props: Props, state: { failed: boolean; resetKey: string | undefined }) {
    return props.resetKey === state.resetKey ? null : { failed: false, resetKey: props.resetKey };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <div role="alert" className="mx-auto max-w-100 px-6 py-16 text-center">
        <h2 className="text-lg font-semibold">This part of Slipway failed</h2>
        <p className="mt-1 text-ink-soft">
          It is a fault of the app. Runs go on in the background and nothing of them is lost.
        </p>
        <div className="mt-4 flex justify-center gap-2">
          <Button variant="primary" onClick={() => this.setState({ failed: false })}>
            Try again
          </Button>
          <Button onClick={() => window.location.reload()}>Reload the window</Button>
        </div>
      </div>
    );
  }
}
