Jekyll::Hooks.register :site, :post_write do |site|
  system("imgbake", site.dest, exception: true) if Jekyll.env == "production"
end
