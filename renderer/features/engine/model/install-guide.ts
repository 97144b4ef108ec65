export interface InstallStep {
  readonly title: string;
  readonly detail: string;
  readonly url: string;
}

const dockerDesktop = (system: string, url: string): InstallStep => ({
  title: 'Docker Desktop',
  detail: `The engine with a window of its own for ${system}. Install it, start it once, and leave it running.`,
  url,
});

const rancher: InstallStep = {
  title: 'Rancher Desktop',
  detail: 'An open-source alternative. Choose the dockerd (moby) engine in its preferences.',
  url: 'https://rancherdesktop.io',
};

const podman: InstallStep = {
  title: 'Podman Desktop',
  detail: 'Runs without a daemon. Slipway talks to its Docker-compatible socket.',
  url: 'https://podman-desktop.io',
};

/** What to install on an operating system, as Node names it, so that an engine answers. */
export function installGuide(platform: string | undefined): {
  system: string;
  steps: readonly InstallStep[];
} {
  switch (platform) {
    case 'darwin':
      return {
        system: 'macOS',
        steps: [
          dockerDesktop('macOS', 'https://docs.docker.com/desktop/setup/install/mac-install/'),
          {
            title: 'Colima',
            detail: 'A small engine for the command line: install it with Homebrew, then run “colima start”.',
            url: 'https://github.com/abiosoft/colima',
          },
          podman,
        ],
      };
    case 'win32':
      return {
        system: 'Windows',
        steps: [
          dockerDesktop('Windows', 'https://docs.docker.com/desktop/setup/install/windows-install/'),
          rancher,
          podman,
        ],
      };
    default:
      return {
        system: 'Linux',
        steps: [
          {
            title: 'Docker Engine',
            detail:
              'From your distribution or from Docker. Start the service and add yourself to the “docker” group.',
            url: 'https://docs.docker.com/engine/install/',
          },
          {
            title: 'Podman',
            detail: 'Enable its socket with “systemctl --user enable --now podman.socket”.',
            url: 'https://podman.io/docs/installation',
          },
          dockerDesktop('Linux', 'https://docs.docker.com/desktop/setup/install/linux/'),
        ],
      };
  }
}
