Jekyll::Hooks.register :site, :post_write do |site|
  if Jekyll.env == "production"
    system("imgbake", site.dest) or
      raise Jekyll::Errors::FatalException, "the images could not be baked"
  end
end
