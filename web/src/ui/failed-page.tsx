import { Button } from './button.tsx';

/** What is said in place of a page whose code could not be loaded, or that crashed. */
export function failedPage(isUnloaded: boolean): { title: string; intro: string } {
  return isUnloaded
    ? {
        title: 'This page could not be loaded',
        intro: 'The connection was lost, or the service has been updated since this window was opened.',
      }
    : { title: 'Something went wrong', intro: 'The page has crashed. Saved data is not affected.' };
}

/** What helps where code could not be loaded. */
export const reloading = { label: 'Load the page again', onPress: () => location.reload() };

/** The button of such a page. `wide`: as wide as what is around it. */
export function Reload({ wide = false }: { wide?: boolean }) {
  return (
    <Button kind="primary" wide={wide} onPress={reloading.onPress}>
      {reloading.label}
    </Button>
  );
}
